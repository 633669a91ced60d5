using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Hosting.Registration;
using NumaSharp.Hosting.Transport;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of the pools and the allocator, by node.</summary>
internal sealed class MemoryMetrics(NumaPlan plan, NumaMemoryPools pools, NodeMemoryPoolFactory servers, MadeAllocator allocator)
{
    private readonly KeyValuePair<string, object?>[] _tags =
        [.. plan.Nodes.Select(static node => new KeyValuePair<string, object?>(NumaTelemetry.NodeIdAttribute, node.NodeId))];

    public void Add(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolRented,
            () => ObservePools(static pool => pool.RentedBytes),
            "By",
            "Memory in blocks of the node's pools that are rented.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolPooled,
            () => ObservePools(static pool => pool.PooledBytes),
            "By",
            "Memory in blocks of the node's pools that are free.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolCommitted,
            () => ObservePools(static pool => pool.CommittedBytes),
            "By",
            "Memory that the node's pools have taken from the system.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.AllocatorAllocated,
            () => ObserveAllocator(static node => node.AllocatedBytes),
            "By",
            "Memory in blocks of the allocator on the node that are in use.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.AllocatorCommitted,
            () => ObserveAllocator(static node => node.CommittedBytes),
            "By",
            "Memory that the allocator has taken from the system for the node.");
        meter.CreateObservableCounter(
            NumaTelemetry.AllocatorRemoteFrees,
            () => ObserveAllocator(static node => node.RemoteFrees),
            "{block}",
            "Blocks of the node that threads of other nodes have given back.");
    }

    private IEnumerable<Measurement<long>> ObservePools(Func<NumaMemoryPool, long> read) =>
        Observe(node => read(pools[node.NodeIndex]) + (servers.Pools is { } others ? read(others[node.NodeIndex]) : 0));

    // One that nobody has asked for has taken nothing.
    private IEnumerable<Measurement<long>> ObserveAllocator(Func<NumaAllocatorStatistics, long> read) =>
        Observe(node => allocator.Value is { } made ? read(made.GetStatistics(node.NodeId)) : 0);

    private IEnumerable<Measurement<long>> Observe(Func<NumaNodePlan, long> read) =>
        plan.Nodes.Select(node => new Measurement<long>(read(node), _tags[node.NodeIndex]));
}
