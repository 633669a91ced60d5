using System.Diagnostics;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Watching;

/// <summary>Records traces, as OpenTelemetry does.</summary>
internal sealed class TraceWatch : IDisposable
{
    private const string Scheduling = "NumaSharp";
    private const string Requests = "NumaSharp.Benchmarks";

    private static readonly ActivitySource s_requests = new(Requests);

    private readonly ActivityListener _listener;
    private readonly Activity? _request;
    private long _count;

    /// <param name="isInRequest">Whether the calling thread is in an activity that is recorded; otherwise in none.</param>
    public TraceWatch(bool isInRequest)
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name is Requests or Scheduling,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _ => Interlocked.Increment(ref _count),
        };
        ActivitySource.AddActivityListener(_listener);
        _request = isInRequest ? s_requests.StartActivity("request") : null;
    }

    /// <summary>How many activities have ended.</summary>
    public long Count => Volatile.Read(ref _count);

    public void Dispose()
    {
        _request?.Dispose();
        _listener.Dispose();
    }
}
