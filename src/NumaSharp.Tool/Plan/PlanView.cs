using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Plan;

/// <summary>The plan for people: a row per node, then notes.</summary>
internal static class PlanView
{
    public static void Write(IAnsiConsole screen, PlannedHost host)
    {
        var plan = host.Plan;
        Table(plan).Write(screen);
        WriteLine(screen, plan.IsEnabled
            ? $"Threads are pinned; memory is bound: {plan.BindMode}. Transport: {host.Transport}."
            : $"Numa:Enabled is false: nothing is pinned or bound. Transport: {host.Transport}.");
        foreach (var note in host.Notes())
        {
            WriteLine(screen, note);
        }
    }

    private static void WriteLine(IAnsiConsole screen, string text)
    {
        screen.Write(new Text(ToolText.OneLine(text)));
        screen.WriteLine();
    }

    private static ToolTable Table(NumaPlan plan)
    {
        var table = new ToolTable("Node", "CPUs", "Served by", "Memory of", "Threads", "Loops");
        foreach (var node in plan.Nodes)
        {
            table.AddRow(
                ToolText.Number(node.NodeId.Value),
                node.Cpus.ToString(),
                node.ServesItself ? "itself" : $"node {NodeAt(plan, node.ServingIndex)}",
                $"node {node.MemoryNodeId}",
                Describe(node.ThreadCpus),
                Describe(node.LoopCpus));
        }

        return table;
    }

    private static string NodeAt(NumaPlan plan, int index) => ToolText.Number(plan.Nodes[index].NodeId.Value);

    // If each thread has its own CPUs there are as many lines as threads; equal ones are one line.
    private static string Describe(IReadOnlyList<CpuSet> cpus) => cpus.Count == 0
        ? "none"
        : string.Join('\n', Runs(cpus).Select(static run => $"{ToolText.Number(run.Count)} on {run.Cpus}"));

    private static IEnumerable<(int Count, CpuSet Cpus)> Runs(IReadOnlyList<CpuSet> cpus)
    {
        var start = 0;
        for (var i = 1; i <= cpus.Count; i++)
        {
            if (i == cpus.Count || !cpus[i].Equals(cpus[start]))
            {
                yield return (i - start, cpus[start]);
                start = i;
            }
        }
    }
}
