using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// The nodes' memory as it is now. The kernel's files are read at most once per interval, whoever asks, and a failed read
/// keeps the last figures: a metric callback neither throws nor reads the machine for every point. Thread-safe.
/// </summary>
internal sealed class NodeMemoryReader
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly INumaTopologyProvider _provider;
    private readonly NumaFallbacks _fallbacks;
    private readonly TimeProvider _time;
    private NumaTopology _topology;
    private long _readAt;

    public NodeMemoryReader(NumaPlatform platform, NumaTopology topology, NumaFallbacks fallbacks, TimeProvider? time = null)
    {
        _provider = platform.Topology;
        _fallbacks = fallbacks;
        _time = time ?? TimeProvider.System;
        _topology = topology;
        _readAt = _time.GetTimestamp();
    }

    public IReadOnlyList<NumaNode> Read()
    {
        lock (_lock)
        {
            if (_time.GetElapsedTime(_readAt) >= Interval)
            {
                Refresh();
                _readAt = _time.GetTimestamp();
            }

            return _topology.Nodes;
        }
    }

    private void Refresh()
    {
        try
        {
            _topology = _provider.Read();
        }
        catch (NumaException exception)
        {
            _fallbacks.Report(new NumaFallback(
                "telemetry.memory", $"The nodes' memory cannot be read, its metrics keep their last values. {exception.Message}"));
        }
    }
}
