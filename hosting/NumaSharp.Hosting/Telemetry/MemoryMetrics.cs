using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of the pools and the allocator.</summary>
internal sealed class MemoryMetrics(NumaPlan plan, HostPools pools, ResolvedAllocator allocator, PressureTrimmer trimmer)
{
    public void Add(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolRented,
            OfPools(static pool => pool.RentedBytes),
            "By",
            "Memory in rented blocks of the node's pools.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolPooled,
            OfPools(static pool => pool.PooledBytes),
            "By",
            "Memory in free blocks of the node's pools.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolCommitted,
            OfPools(static pool => pool.CommittedBytes),
            "By",
            "Memory taken from the system by the node's pools.");
        meter.CreateObservableCounter(
            NumaTelemetry.PoolAbandoned,
            OfPools(static pool => pool.AbandonedBlocks),
            "{block}",
            "Blocks of the node's pools that were rented, never returned, and reclaimed.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.AllocatorAllocated,
            OfAllocator(static node => node.AllocatedBytes),
            "By",
            "Memory in allocated blocks of the allocator on the node.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.AllocatorCommitted,
            OfAllocator(static node => node.CommittedBytes),
            "By",
            "Memory taken from the system by the allocator for the node.");
        meter.CreateObservableCounter(
            NumaTelemetry.AllocatorRemoteFrees,
            OfAllocator(static node => node.RemoteFrees),
            "{block}",
            "Allocator blocks of the node returned by threads on other nodes.");
        meter.CreateObservableCounter(
            NumaTelemetry.MemoryPressureTrims,
            () => trimmer.Trims,
            "{trim}",
            "How often pools and allocator gave free memory back because memory was short.");
        meter.CreateObservableCounter(
            NumaTelemetry.MemoryPressureReleased,
            () => trimmer.ReleasedBytes,
            "By",
            "Memory that pools and allocator gave back because memory was short.");
    }

    private Func<IEnumerable<Measurement<long>>> OfPools(Func<NumaMemoryPool, long> read) =>
        NodeMeasurements.For(plan, node => pools.SumOf(node.NodeIndex, read));

    // An allocator that was never resolved has taken nothing.
    private Func<IEnumerable<Measurement<long>>> OfAllocator(Func<NumaAllocatorStatistics, long> read) =>
        NodeMeasurements.For(plan, node => allocator.Value is { } made ? read(made.GetStatistics(node.NodeId)) : 0);
}
