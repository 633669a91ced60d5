using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Plan;

/// <summary>The plan for people: a row per node, then notes.</summary>
internal static class PlanView
{
    // As many last-level caches as the largest nodes have.
    private const int MostLines = 12;

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

    /// <summary>
    /// Threads with the same CPUs are a line. Where that would be too many lines, those whose CPUs are as many are one.
    /// </summary>
    public static string Describe(IReadOnlyList<CpuSet> cpus)
    {
        if (cpus.Count == 0)
        {
            return "none";
        }

        var sets = cpus.CountBy(static set => set).ToArray();
        return string.Join('\n', sets.Length <= MostLines
            ? sets.Select(static set => $"{ToolText.Number(set.Value)} on {set.Key}")
            : sets.GroupBy(static set => (Threads: set.Value, Cpus: set.Key.Count), static set => set.Key).Select(static alike =>
                alike.ToArray() is [var one]
                    ? $"{ToolText.Number(alike.Key.Threads)} on {one}"
                    : $"{ToolText.Number(alike.Key.Threads)} on each of {ToolText.Number(alike.Count())} "
                        + (alike.Key.Cpus == 1 ? "CPUs" : $"sets of {ToolText.Number(alike.Key.Cpus)} CPUs")));
    }
}
