using System.Collections.ObjectModel;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Scheduling;

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
    /// The counters of a node. Each is read by itself, so together they are no snapshot; all are 0 for a node served by another
    /// one.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The counters.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public NumaSchedulerStatistics GetStatistics(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return new()
        {
            NodeId = Plan.Nodes[nodeIndex].NodeId,
            Workers = GetWorkerCount(nodeIndex),
            Spares = GetSpareCount(nodeIndex),
            QueueLength = GetQueueLength(nodeIndex),
            Executed = GetExecuted(nodeIndex),
            Stolen = GetStolen(nodeIndex),
            Escapes = GetEscapes(nodeIndex),
        };
    }

    /// <summary>How many items wait on a node. A snapshot; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of items.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal long GetQueueLength(int nodeIndex) => ServingNode(nodeIndex)?.Sum(static group => group.QueueLength) ?? 0;

    /// <summary>How many items a node's workers have run, stolen ones included; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of items since the start.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal long GetExecuted(int nodeIndex) => ServingNode(nodeIndex)?.Sum(static group => group.GetExecuted()) ?? 0;

    /// <summary>How many items a node's workers have taken from other nodes.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of items since the start.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal long GetStolen(int nodeIndex) =>
        ServingNode(nodeIndex)?.Sum(static group => group.GetSteals().Remote.Sum(static each => each.Count)) ?? 0;

    /// <summary>
    /// How many items a node's workers have taken from the queues of other workers, by distance: from other workers of the node
    /// at its distance to itself, from other nodes at longer ones.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>
    /// The number of items since the start by <see cref="NumaTopology.GetDistance"/>, one entry for each distance that the policy
    /// lets work come from; none for a node served by another one.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public IReadOnlyDictionary<int, long> GetStolenByDistance(int nodeIndex) =>
        ServingNode(nodeIndex) is { } node
            ? node.Groups[0].StealDistances.ToDictionary(
                static distance => distance, distance => StolenAt(node, distance))
            : ReadOnlyDictionary<int, long>.Empty;

    /// <summary>One entry of <see cref="GetStolenByDistance"/>. Allocates nothing.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="distance">How far the other workers are.</param>
    /// <returns>The number of items since the start; 0 for a distance that no work comes from.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal long GetStolenAtDistance(int nodeIndex, int distance) =>
        ServingNode(nodeIndex) is { } node ? StolenAt(node, distance) : 0;

    private static long StolenAt(NodeWorkers node, int distance)
    {
        long sum = 0;
        foreach (var group in node.Groups)
        {
            sum += group.GetStolenAtDistance(distance);
        }

        return sum;
    }

    /// <summary>How many items a node's workers have taken from the queues of each other node.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>
    /// The number of items since the start by the kernel id of the node that they were queued on, one entry for each node that
    /// the policy lets work come from; none for a node served by another one.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal IReadOnlyDictionary<NumaNodeId, long> GetStolenByNode(int nodeIndex) =>
        ServingNode(nodeIndex)?.Groups.SelectMany(static group => group.GetSteals().Remote)
            .GroupBy(static each => each.NodeIndex, static each => each.Count)
            .ToDictionary(node => Plan.Nodes[node.Key].NodeId, static node => node.Sum())
            ?? (IReadOnlyDictionary<NumaNodeId, long>)ReadOnlyDictionary<NumaNodeId, long>.Empty;

    /// <summary>How many of a node's workers are spares: added while others were blocked, and not yet retired.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of threads; 0 for a node served by another one.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal int GetSpareCount(int nodeIndex) => ServingNode(nodeIndex)?.SpareCount ?? 0;

    /// <summary>How many workers a node has now, spares included; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of threads.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal int GetWorkerCount(int nodeIndex) => ServingNode(nodeIndex)?.WorkerCount ?? 0;

    /// <summary><see cref="NumaSchedulerStatistics.Escapes"/>; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of ends since the start.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    internal long GetEscapes(int nodeIndex) => ServingNode(nodeIndex)?.Escapes ?? 0;

    private NodeWorkers? ServingNode(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        var node = _workersOfNode[nodeIndex];
        return node.NodeIndex == nodeIndex ? node : null;
    }

    // A queued item has no room for a time: measured items are wrapped in an object that has.

    /// <summary>
    /// Measures for a sample of the items how long they waited between being queued and being started: the first of each thread
    /// that queues, and then every 61st. Nothing is measured while the histogram has no listener. Recorded activities
    /// (<see cref="ActivitySource"/> <c>NumaSharp</c>, <c>numasharp.scheduler.wait</c>) do not depend on this.
    /// </summary>
    /// <param name="waits">
    /// Receives seconds, with the kernel id of the node as the attribute <c>numasharp.node.id</c>, on the thread that starts the
    /// item; <see langword="null"/> for none.
    /// </param>
    internal void MeasureWaits(Histogram<double>? waits) => Volatile.Write(ref _waits, waits);

    /// <summary>Called by the thread that starts an item, before it does.</summary>
    internal void NoteStart(in QueuedItem queued)
    {
        var waited = Stopwatch.GetElapsedTime(queued.QueuedAt);
        if (queued.IsSample)
        {
            Volatile.Read(ref _waits)?.Record(waited.TotalSeconds, queued.Group.Home.NodeTag);
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
                [queued.Group.Home.NodeTag],
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

/// <summary>
/// The counters of a node of a <see cref="NumaTaskScheduler"/>: since its start, where a property does not say that it is now.
/// </summary>
public readonly record struct NumaSchedulerStatistics
{
    /// <summary>The kernel id of the node.</summary>
    public NumaNodeId NodeId { get; init; }

    /// <summary>How many workers the node has now, spares included.</summary>
    public int Workers { get; init; }

    /// <summary>How many of the workers are spares now: added while others were blocked, and not yet retired.</summary>
    public int Spares { get; init; }

    /// <summary>How many items wait on the node now.</summary>
    public long QueueLength { get; init; }

    /// <summary>How many items the node's workers have run, stolen ones included.</summary>
    public long Executed { get; init; }

    /// <summary>How many items the node's workers have taken from other nodes.</summary>
    public long Stolen { get; init; }

    /// <summary>
    /// How much asynchronous work began on the node and ended outside the scheduler's workers, as after
    /// <c>ConfigureAwait(false)</c>: tasks returned by work given to <c>RunOnNode</c>, and <c>async void</c> methods that began
    /// under the node's <see cref="NumaTaskScheduler.GetSynchronizationContext">context</see>.
    /// </summary>
    /// <remarks>
    /// Not seen: where a method ran in between, and where a task ended that was created with
    /// <see cref="TaskCreationOptions.RunContinuationsAsynchronously"/>.
    /// </remarks>
    public long Escapes { get; init; }
}
