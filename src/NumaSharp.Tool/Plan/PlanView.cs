using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Plan;

/// <summary>The plan for people: a row per node, then notes.</summary>
internal static class PlanView
{
    // As many last-level caches as the largest nodes have.
    private const int MostLines = 12;

    private const string Same = "The plans are the same.";

    public static void Write(IAnsiConsole screen, PlannedHost host)
    {
        Table(host.Plan).Write(screen);
        foreach (var line in Lines(host))
        {
            WriteLine(screen, line);
        }
    }

    public static void WriteMarkdown(TextWriter output, PlannedHost host)
    {
        Table(host.Plan).WriteMarkdown(output);
        foreach (var line in Lines(host))
        {
            output.WriteLine();
            output.WriteLine(ToolText.Markdown(line));
        }
    }

    /// <summary>What is different in two plans.</summary>
    public static void Write(IAnsiConsole screen, IReadOnlyList<PlanChange> changes)
    {
        if (changes.Count == 0)
        {
            WriteLine(screen, Same);
        }
        else
        {
            Table(changes).Write(screen);
        }
    }

    public static void WriteMarkdown(TextWriter output, IReadOnlyList<PlanChange> changes)
    {
        if (changes.Count == 0)
        {
            output.WriteLine(Same);
        }
        else
        {
            Table(changes).WriteMarkdown(output);
        }
    }

    private static IEnumerable<string> Lines(PlannedHost host) =>
    [
        host.Plan.IsEnabled
            ? $"Threads are pinned; memory is bound: {host.Plan.BindMode}. Transport: {host.Transport}."
            : $"Numa:Enabled is false: nothing is pinned or bound. Transport: {host.Transport}.",
        .. host.Notes(),
    ];

    private static ToolTable Table(IReadOnlyList<PlanChange> changes)
    {
        var table = new ToolTable("What", "Before", "After");
        foreach (var change in changes)
        {
            table.AddRow(change.What, change.Before, change.After);
        }

        return table;
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
