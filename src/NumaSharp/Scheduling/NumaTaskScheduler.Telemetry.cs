using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace NumaSharp.Scheduling;

// A queued item has no room for a time: measured items are wrapped in an object that has.
public sealed partial class NumaTaskScheduler
{
    /// <summary>
    /// Of the items that a thread queues, one in this many is a sample; a prime, to stay out of step with loops.
    /// </summary>
    internal const int SampleInterval = 61;

    private static readonly ActivitySource s_activities = new(
        "NumaSharp", typeof(NumaTaskScheduler).Assembly.GetName().Version?.ToString(3));

    [ThreadStatic]
    private static uint t_queued;

    private Histogram<double>? _waits;

    /// <summary>
    /// Measures for a sample of the items how long they waited between being queued and being started: the first of each thread
    /// that queues, and then every 61st. Nothing is measured while the histogram has no listener. Recorded activities
    /// (<see cref="ActivitySource"/> <c>NumaSharp</c>, <c>numasharp.scheduler.wait</c>) do not depend on this.
    /// </summary>
    /// <param name="waits">
    /// Receives seconds, with the kernel id of the node as the attribute <c>numasharp.node.id</c>, on the thread that starts the
    /// item; <see langword="null"/> for none.
    /// </param>
    public void MeasureWaits(Histogram<double>? waits) => Volatile.Write(ref _waits, waits);

    /// <summary>Called by the thread that starts an item, before it does.</summary>
    internal void NoteStart(in QueuedItem queued)
    {
        var waited = Stopwatch.GetElapsedTime(queued.QueuedAt);
        if (queued.IsSample)
        {
            Volatile.Read(ref _waits)?.Record(waited.TotalSeconds, queued.Group.NodeTag);
            if (SchedulerEvents.AreWaitsWanted())
            {
                SchedulerEvents.Log.Waited(queued.Group.Node.NodeId.Value, (long)waited.TotalNanoseconds);
            }
        }

        if (queued.Parent is { } parent)
        {
            using var activity = s_activities.StartActivity(
                "numasharp.scheduler.wait",
                ActivityKind.Internal,
                parent.Context,
                [queued.Group.NodeTag],
                startTime: TimeProvider.System.GetUtcNow() - waited);
        }
    }

    // The whole cost of an item without listeners: four reads.
    private bool IsWatched
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => AreWaitsMeasured || s_activities.HasListeners();
    }

    private bool AreWaitsMeasured
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _waits) is { Enabled: true } || SchedulerEvents.AreWaitsWanted();
    }

    // The item itself, or a wrapper that reports when it starts.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WorkItem Watched(WorkerGroup group, WorkItem item)
    {
        var isSample = AreWaitsMeasured && t_queued++ % SampleInterval == 0;
        var parent = s_activities.HasListeners() && Activity.Current is { Recorded: true } current ? current : null;
        return isSample || parent is not null
            ? new WorkItem(PooledWork<QueuedItem>.Rent(
                static queued => queued.Execute(),
                new QueuedItem(item, group, Stopwatch.GetTimestamp(), isSample, parent)))
            : item;
    }
}
