using System.Diagnostics.Tracing;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Watching;

/// <summary>Reads the scheduler's events of waits, as <c>dotnet-trace</c> does.</summary>
internal sealed class EventWatch : EventListener
{
    private const string Scheduling = "NumaSharp-Scheduling";
    private const EventKeywords Waits = (EventKeywords)1;

    private long _count;

    /// <summary>How many events there were.</summary>
    public long Count => Volatile.Read(ref _count);

    // Called by the base class's constructor for the sources that are there, and later for new ones.
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Scheduling)
        {
            EnableEvents(eventSource, EventLevel.Verbose, Waits);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData) => Interlocked.Increment(ref _count);
}
