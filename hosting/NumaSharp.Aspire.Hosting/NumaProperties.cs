using System.Collections.Immutable;
using System.Globalization;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>A machine as properties of the dashboard.</summary>
internal static class NumaProperties
{
    private const double Gibibyte = 1L << 30;

    public static ImmutableArray<ResourcePropertySnapshot> Of(NumaTopology topology) =>
        [.. All(topology).Select(static (property, index) => property with { IsHighlighted = true, SortOrder = index })];

    // The first is a column of the dashboard's table, which has no name in the details unless one is given here. The dashboard
    // does not know the others, and shows them as highlights.
    private static ResourcePropertySnapshot[] All(NumaTopology topology) =>
    [
        new(
            CustomResourceKnownProperties.Source,
            Text($"{topology.Source}: {topology.NodeCount} {Nodes(topology)}, CPUs {topology.AllowedCpus}"))
        {
            DisplayName = "Source",
        },
        new("Nodes", Text($"{topology.NodeCount}")),
        new("CPUs", $"{topology.AllowedCpus}"),
        .. topology.Nodes.Select(node => new ResourcePropertySnapshot(Text($"Node {node.NodeId}"), Describe(topology, node))),
        .. topology.Warnings.Count == 0
            ? Array.Empty<ResourcePropertySnapshot>()
            : [new ResourcePropertySnapshot("Warnings", string.Join(" ", topology.Warnings))],
    ];

    // Distances in the order of the nodes, as in numactl --hardware (10: the node itself).
    private static string Describe(NumaTopology topology, NumaNode node)
    {
        var cpus = node.Cpus.IsEmpty ? "no CPUs" : $"CPUs {node.Cpus}";
        var memory = node.IsMemoryAllowed ? Text($"{node.MemoryBytes / Gibibyte:0.#} GiB") : "no memory";
        var distances = topology.Nodes.Select(other => Text($"{topology.GetDistance(node.Id, other.Id)}"));
        return $"{cpus}, {memory}, distances {string.Join(' ', distances)}";
    }

    private static string Nodes(NumaTopology topology) => topology.NodeCount == 1 ? "node" : "nodes";

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

/// <summary>The plans of the resources' hosts on the machine, for people.</summary>
internal static class NumaPlanText
{
    private const string Nothing = "No resource is fenced.";

    /// <summary>One line per resource, as its host logs it at start.</summary>
    public static string ToLines(NumaTopology topology, IEnumerable<IResource> resources) =>
        TextOf(NumaMachine.FencedIn(resources).Select(fenced => $"{fenced.Resource.Name}: " + Describe(
            fenced.Options, topology, static misfits => string.Join(" ", misfits), static plan => $"{plan}")));

    /// <summary>As Markdown, with a list of nodes per resource.</summary>
    public static string ToMarkdown(NumaTopology topology, IEnumerable<IResource> resources) =>
        TextOf(NumaMachine.FencedIn(resources).Select(fenced => $"**{fenced.Resource.Name}**\n" + Describe(
            fenced.Options, topology, ToList, static plan => ToList(plan.Nodes.Select(static node => $"{node}"))) + "\n"));

    private static string Describe(
        NumaResourceOptions options,
        NumaTopology topology,
        Func<IReadOnlyList<string>, string> toText,
        Func<NumaPlan, string> toPlan) =>
        NumaFence.TryPlan(options, topology, out var plan, out var misfits) ? toPlan(plan) : toText(misfits);

    private static string ToList(IEnumerable<string> lines) => string.Concat(lines.Select(static line => $"- {line}\n"));

    private static string TextOf(IEnumerable<string> parts) =>
        string.Join('\n', parts) is { Length: > 0 } text ? text : Nothing;
}
