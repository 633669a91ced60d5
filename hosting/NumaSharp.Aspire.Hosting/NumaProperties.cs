using System.Collections.Immutable;
using System.Globalization;
using Aspire.Hosting.ApplicationModel;
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
        var distances = topology.Nodes.Select(other => Text($"{topology.Distance(node.Id, other.Id)}"));
        return $"{cpus}, {memory}, distances {string.Join(' ', distances)}";
    }

    private static string Nodes(NumaTopology topology) => topology.NodeCount == 1 ? "node" : "nodes";

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
