using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// The instruments of the nodes' memory and of the kernel's numastat. The kernel counts an allocation under several names, so
/// each is a separate instrument: a sum over an attribute would be meaningless.
/// </summary>
internal static class NodeMetrics
{
    private static readonly (string Name, Func<NumaNodeStatistics, long> Read, string Description)[] s_counters =
    [
        (NumaTelemetry.NodeAllocationsHit, static node => node.Hit, "Allocations intended for the node and served from it."),
        (NumaTelemetry.NodeAllocationsMiss, static node => node.Miss,
            "Allocations intended for another node and served from this one."),
        (NumaTelemetry.NodeAllocationsForeign, static node => node.Foreign,
            "Allocations intended for the node and served from another."),
        (NumaTelemetry.NodeAllocationsInterleaveHit, static node => node.InterleaveHit,
            "Interleaved allocations intended for the node and served from it."),
        (NumaTelemetry.NodeAllocationsLocal, static node => node.Local,
            "Allocations served from the node to a process running on it."),
        (NumaTelemetry.NodeAllocationsOther, static node => node.Other,
            "Allocations served from the node to a process running on another."),
    ];

    public static void Add(Meter meter, NodeStatisticsCache memory, ManagedHeapPages managedHeap)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.NodeMemoryUsage,
            () => Observe(memory, static node => node.MemoryBytes - node.MemoryFreeBytes),
            "By",
            "Memory of the node in use by processes, the kernel and the page cache.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.NodeMemoryLimit,
            () => Observe(memory, static node => node.MemoryBytes),
            "By",
            "Memory of the node.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.NodeManagedHeapUsage,
            () => Observe(memory, managedHeap.Read()),
            "By",
            "Memory of this process's garbage collector on the node, usually at most a minute old.");
        foreach (var (name, read, description) in s_counters)
        {
            meter.CreateObservableCounter(
                name,
                () => Observe(memory, node => node.Counters is { } counters ? read(counters) : null),
                "{allocation}",
                description);
        }
    }

    // None on a node is 0, if anything is known.
    private static Measurement<long>[] Observe(NodeStatisticsCache memory, IReadOnlyList<HeapOnNode> parts) =>
        parts.Count == 0
            ? []
            : [
                .. memory.Read().Select(static node => node.NodeId).Union(parts.Select(static part => part.NodeId)).Select(id =>
                    NodeMeasurements.Of(id, parts.FirstOrDefault(part => part.NodeId == id).Bytes)),
            ];

    private static List<Measurement<long>> Observe(NodeStatisticsCache memory, Func<NodeFigures, long?> read)
    {
        var figures = memory.Read();
        var points = new List<Measurement<long>>(figures.Count);
        for (var i = 0; i < figures.Count; i++)
        {
            if (read(figures[i]) is { } value)
            {
                points.Add(NodeMeasurements.Of(figures[i].NodeId, value));
            }
        }

        return points;
    }
}
