using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Scheduling;

/// <summary>
/// Events of workers and items, for dotnet-trace and EventListener. Spares are rare; the other events are enabled by keyword, and
/// cost a read while they are not.
/// </summary>
[EventSource(Name = "NumaSharp-Scheduling")]
internal sealed class SchedulerEvents : EventSource
{
    public static readonly SchedulerEvents Log = new();

    private SchedulerEvents()
    {
    }

    [NonEvent]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool AreWaitsWanted() => Log.IsEnabled() && Log.IsEnabled(EventLevel.Verbose, Keywords.Waits);

    [NonEvent]
    public static bool AreStealsWanted() => Log.IsEnabled() && Log.IsEnabled(EventLevel.Verbose, Keywords.Steals);

    /// <summary>
    /// The source calls listeners of this process on the writing thread, which for spares is the monitor's, or that of a worker
    /// that ends: the outbox calls them instead, as it does loggers.
    /// </summary>
    [NonEvent]
    public static void PostSpareStarted(int nodeId, int workers)
    {
        if (Log.IsEnabled())
        {
            Outbox.Instance.Post(() => Log.SpareStarted(nodeId, workers));
        }
    }

    /// <inheritdoc cref="PostSpareStarted"/>
    [NonEvent]
    public static void PostSpareEnded(int nodeId, int workers)
    {
        if (Log.IsEnabled())
        {
            Outbox.Instance.Post(() => Log.SpareEnded(nodeId, workers));
        }
    }

    /// <summary>A node has got a further worker, because its workers are blocked or busy while work waits.</summary>
    [Event(1, Level = EventLevel.Informational)]
    public void SpareStarted(int nodeId, int workers) => WriteEvent(1, nodeId, workers);

    /// <summary>A spare worker has ended.</summary>
    [Event(2, Level = EventLevel.Informational)]
    public void SpareEnded(int nodeId, int workers) => WriteEvent(2, nodeId, workers);

    /// <summary>A worker has taken an item from another node.</summary>
    [Event(3, Level = EventLevel.Verbose, Keywords = Keywords.Steals)]
    public void Stolen(int nodeId, int fromNodeId, int distance) => WriteEvent(3, nodeId, fromNodeId, distance);

    /// <summary>How long an item of a node waited for its start: a sample.</summary>
    [Event(4, Level = EventLevel.Verbose, Keywords = Keywords.Waits)]
    public void Waited(long nodeId, long nanoseconds) => WriteEvent(4, nodeId, nanoseconds);

    /// <summary>The keywords of the source.</summary>
    public static class Keywords
    {
        public const EventKeywords Waits = (EventKeywords)1;
        public const EventKeywords Steals = (EventKeywords)2;
    }
}
