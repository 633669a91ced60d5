using System.Text.Json.Serialization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Plan;

/// <summary><c>plan --diff</c>: what is different in two outputs of <c>plan --format json</c>.</summary>
internal static class PlanDiff
{
    private const string None = "none";

    /// <summary>Properties of the whole plan, then nodes, then notes. Nodes with the same change are one.</summary>
    public static IReadOnlyList<PlanChange> Compare(PlanFile before, PlanFile after) =>
    [
        .. Compare(nodes: null, before.Facts, after.Facts),
        .. before.Nodes.Keys.Union(after.Nodes.Keys).Order()
            .SelectMany(node => CompareNode(node, before, after))
            .GroupBy(static change => change with { Nodes = null })
            .Select(static alike => alike.Key with { Nodes = CpuSet.FromIds(alike.SelectMany(static change => change.Nodes!)) }),
        .. before.Notes.Except(after.Notes).Select(static note => new PlanChange(null, "note", note, None)),
        .. after.Notes.Except(before.Notes).Select(static note => new PlanChange(null, "note", None, note)),
    ];

    private static IEnumerable<PlanChange> CompareNode(int id, PlanFile before, PlanFile after)
    {
        var node = CpuSet.FromIds(id);
        return (before.Nodes.GetValueOrDefault(id), after.Nodes.GetValueOrDefault(id)) switch
        {
            ({ } old, { } now) => Compare(node, old, now),
            (var old, var now) => [new PlanChange(node, "plan", Outline(old), Outline(now))],
        };
    }

    private static string Outline(OrderedDictionary<string, string>? node)
    {
        return node is null ? None : $"CPUs {ValueOf("cpus")}, {ValueOf("threads")} threads, {ValueOf("loops")} loops";

        string ValueOf(string name) => node.GetValueOrDefault(name, None);
    }

    // One of them may have been written by a version that knows more.
    private static IEnumerable<PlanChange> Compare(
        CpuSet? nodes, OrderedDictionary<string, string> before, OrderedDictionary<string, string> after) =>
        before.Keys.Union(after.Keys)
            .Select(name => new PlanChange(
                nodes, name, before.GetValueOrDefault(name, None), after.GetValueOrDefault(name, None)))
            .Where(static change => change.Before != change.After);
}

/// <summary>Something that is different in two plans; also part of <see cref="PlanDiffDocument"/>.</summary>
/// <param name="Nodes">Of which nodes; <see langword="null"/> for the whole plan.</param>
/// <param name="Name">The property, as it is named in JSON.</param>
/// <param name="Before">The value in the first plan.</param>
/// <param name="After">The value in the second plan.</param>
internal sealed record PlanChange(CpuSet? Nodes, string Name, string Before, string After)
{
    [JsonIgnore]
    public string What => Nodes is null ? Name : $"{(Nodes.Count == 1 ? "node" : "nodes")} {Nodes}: {Name}";
}

/// <summary>The output of <c>plan --diff --format json</c> (docs/guide/tool.md).</summary>
internal sealed record PlanDiffDocument(IReadOnlyList<PlanChange> Changes);
