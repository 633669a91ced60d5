using System.Collections.Immutable;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// The nodes' memory and counters as they are now. The kernel's files are read at most once per interval, whoever asks, and a
/// failed read keeps the last figures: a metric callback neither throws nor reads the machine for every point. Thread-safe.
/// </summary>
internal sealed class NodeMemoryReader
{
    private const string Feature = "telemetry.memory";

    private readonly Lock _lock = new();
    private readonly INumaTopologyProvider _provider;
    private readonly Func<NumaTopology> _topology;
    private readonly NumaFallbacks _fallbacks;
    private readonly Func<TimeSpan> _interval;
    private readonly TimeProvider _time;
    private ImmutableArray<NodeFigures> _figures;
    private long? _readAt;
    private bool _isFailing;

    /// <param name="platform">Reads the figures.</param>
    /// <param name="topology">Tells the nodes, which may come and go.</param>
    /// <param name="fallbacks">Told what cannot be read.</param>
    /// <param name="interval">Tells the interval, which may change.</param>
    /// <param name="time">Its clock.</param>
    public NodeMemoryReader(
        NumaPlatform platform,
        Func<NumaTopology> topology,
        NumaFallbacks fallbacks,
        Func<TimeSpan> interval,
        TimeProvider? time = null)
    {
        _topology = topology;
        _provider = platform.Topology;
        _fallbacks = fallbacks;
        _interval = interval;
        _time = time ?? TimeProvider.System;
        _figures = [.. topology().Nodes.Select(NodeFigures.Of)];
    }

    public IReadOnlyList<NodeFigures> Read()
    {
        lock (_lock)
        {
            if (_readAt is not { } readAt || _time.GetElapsedTime(readAt) >= _interval())
            {
                _isFailing = false;
                _figures = ReadStatistics() ?? (_readAt is null ? _figures : ReadTopology());
                _readAt = _time.GetTimestamp();
                if (!_isFailing)
                {
                    _fallbacks.Withdraw(Feature);
                }
            }

            return _figures;
        }
    }

    // A node that is gone has no figures any more; a provider that has them of no node is asked for the whole machine.
    private ImmutableArray<NodeFigures>? ReadStatistics()
    {
        ImmutableArray<NodeFigures> figures = [.. _topology().Nodes.Select(ReadNode).OfType<NodeFigures>()];
        return figures.IsEmpty ? null : figures;
    }

    private NodeFigures? ReadNode(NumaNode node)
    {
        try
        {
            return _provider.ReadStatistics(node.Id) is { } statistics ? NodeFigures.Of(node.Id, statistics) : null;
        }
        catch (Exception exception)
        {
            Report(exception);
            return _figures.Cast<NodeFigures?>().FirstOrDefault(last => last!.Value.NodeId == node.Id);
        }
    }

    private ImmutableArray<NodeFigures> ReadTopology()
    {
        try
        {
            return [.. _provider.Read().Nodes.Select(NodeFigures.Of)];
        }
        catch (Exception exception)
        {
            Report(exception);
            return _figures;
        }
    }

    // A provider may be anybody's code; what it throws would end up in the exporter of the application.
    private void Report(Exception exception)
    {
        _isFailing = true;
        _fallbacks.Report(new NumaFallback(
            Feature, $"The nodes' memory cannot be read, its metrics keep their last values. {exception.Message}"));
    }
}
