using System.Collections.Immutable;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// The nodes' current memory and counters. The kernel's files are read at most once per interval, for any number of readers, and
/// a failed read keeps the last figures: a metric callback neither throws nor reads the machine for every point, and waits for no
/// other one, nor for the provider, which may be a plugin's. Thread-safe.
/// </summary>
internal sealed class NodeStatisticsCache
{
    private readonly INumaTopologyProvider _provider;
    private readonly Func<NumaTopology> _topology;
    private readonly NumaFallbacks _fallbacks;
    private readonly TimedReading<ImmutableArray<NodeFigures>> _figures;

    // Of the reading in progress.
    private bool _isFailing;

    /// <param name="platform">Reads the figures.</param>
    /// <param name="topology">Returns the nodes, which may come and go.</param>
    /// <param name="fallbacks">Receives read failures.</param>
    /// <param name="interval">Returns the interval, which may change.</param>
    /// <param name="time">The clock.</param>
    public NodeStatisticsCache(
        NumaPlatform platform,
        Func<NumaTopology> topology,
        NumaFallbacks fallbacks,
        Func<TimeSpan> interval,
        TimeProvider? time = null)
    {
        _topology = topology;
        _provider = platform.Topology;
        _fallbacks = fallbacks;
        _figures = new TimedReading<ImmutableArray<NodeFigures>>(
            [.. topology().Nodes.Select(NodeFigures.Of)], Renew, interval, time ?? TimeProvider.System);
    }

    public IReadOnlyList<NodeFigures> Read() => _figures.Read();

    private ImmutableArray<NodeFigures> Renew(ImmutableArray<NodeFigures> last, bool isOfStart)
    {
        _isFailing = false;
        var figures = ReadStatistics(last) ?? (isOfStart ? last : ReadTopology(last));
        if (!_isFailing)
        {
            _fallbacks.Withdraw(FallbackCatalog.TelemetryMemory.Id);
        }

        return figures;
    }

    // A removed node has no figures any more; if the provider has none for any node, the whole machine is read.
    private ImmutableArray<NodeFigures>? ReadStatistics(ImmutableArray<NodeFigures> last)
    {
        ImmutableArray<NodeFigures> figures = [.. _topology().Nodes.Select(node => ReadNode(node, last)).OfType<NodeFigures>()];
        return figures.IsEmpty ? null : figures;
    }

    private NodeFigures? ReadNode(NumaNode node, ImmutableArray<NodeFigures> last)
    {
        try
        {
            return _provider.ReadStatistics(node.Id) is { } statistics ? NodeFigures.Of(node.Id, statistics) : null;
        }
        catch (Exception exception)
        {
            Report(exception);
            return last.Cast<NodeFigures?>().FirstOrDefault(known => known!.Value.NodeId == node.Id);
        }
    }

    private ImmutableArray<NodeFigures> ReadTopology(ImmutableArray<NodeFigures> last)
    {
        try
        {
            return [.. _provider.Read().Nodes.Select(NodeFigures.Of)];
        }
        catch (Exception exception)
        {
            Report(exception);
            return last;
        }
    }

    // A provider may be third-party code; its exceptions would end up in the application's exporter.
    private void Report(Exception exception)
    {
        _isFailing = true;
        _fallbacks.Report(new NumaFallback(
            FallbackCatalog.TelemetryMemory,
            $"The nodes' memory cannot be read; its metrics keep their last values. {exception.Message}"));
    }
}

/// <summary>The meter's figures of a node.</summary>
/// <param name="NodeId">The kernel id.</param>
/// <param name="MemoryBytes">The node's memory.</param>
/// <param name="MemoryFreeBytes">Its free memory.</param>
/// <param name="Counters">The kernel's counters, if the provider has them.</param>
internal readonly record struct NodeFigures(
    NumaNodeId NodeId, long MemoryBytes, long MemoryFreeBytes, NumaNodeStatistics? Counters)
{
    public static NodeFigures Of(NumaNode node) => new(node.Id, node.MemoryBytes, node.MemoryFreeBytes, Counters: null);

    public static NodeFigures Of(NumaNodeId nodeId, NumaNodeStatistics statistics) =>
        new(nodeId, statistics.MemoryBytes, statistics.MemoryFreeBytes, statistics);
}
