using System.Diagnostics.Metrics;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>Reads how long items wait, as an exporter of metrics does.</summary>
internal sealed class WaitListener : IDisposable
{
    private readonly Meter _meter = new("NumaSharp.Benchmarks");
    private readonly MeterListener _listener = new();
    private long _count;

    public WaitListener()
    {
        Waits = _meter.CreateHistogram<double>("wait");
        _listener.SetMeasurementEventCallback<double>((_, _, _, _) => Interlocked.Increment(ref _count));
        _listener.EnableMeasurementEvents(Waits);
    }

    public Histogram<double> Waits { get; }

    /// <summary>How many waits there were.</summary>
    public long Count => Volatile.Read(ref _count);

    public void Dispose()
    {
        _listener.Dispose();
        _meter.Dispose();
    }
}
