using System.Collections.ObjectModel;
using NumaSharp.Core;

namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
    /// <summary>How many items wait on a node. A snapshot; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of items.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public long GetQueueLength(int nodeIndex) => ServingGroup(nodeIndex)?.QueueLength ?? 0;

    /// <summary>How many items a node's workers have run, stolen ones included; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of items since the start.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public long GetExecuted(int nodeIndex) => ServingGroup(nodeIndex)?.GetExecuted() ?? 0;

    /// <summary>How many items a node's workers have taken from other nodes.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of items since the start.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public long GetStolen(int nodeIndex) =>
        ServingGroup(nodeIndex)?.GetSteals().Remote.Sum(static each => each.Count) ?? 0;

    /// <summary>
    /// How many items a node's workers have taken from the queues of other workers, by distance: from other workers of the node
    /// at its distance to itself, from other nodes at longer ones.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>
    /// The number of items since the start by <see cref="NumaTopology.Distance"/>, one entry for each distance that the policy
    /// lets work come from; none for a node served by another one.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public IReadOnlyDictionary<int, long> GetStolenByDistance(int nodeIndex) =>
        ServingGroup(nodeIndex) is { } group
            ? group.StealDistances.ToDictionary(static distance => distance, group.GetStolenAtDistance)
            : ReadOnlyDictionary<int, long>.Empty;

    /// <summary>One entry of <see cref="GetStolenByDistance"/>. Allocates nothing.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="distance">How far the other workers are.</param>
    /// <returns>The number of items since the start; 0 for a distance that no work comes from.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public long GetStolenAtDistance(int nodeIndex, int distance) =>
        ServingGroup(nodeIndex)?.GetStolenAtDistance(distance) ?? 0;

    /// <summary>How many items a node's workers have taken from the queues of each other node.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>
    /// The number of items since the start by the kernel id of the node that they were queued on, one entry for each node that
    /// the policy lets work come from; none for a node served by another one.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public IReadOnlyDictionary<NumaNodeId, long> GetStolenByNode(int nodeIndex) =>
        ServingGroup(nodeIndex)?.GetSteals().Remote.ToDictionary(each => Plan.Nodes[each.NodeIndex].NodeId, each => each.Count)
            ?? (IReadOnlyDictionary<NumaNodeId, long>)ReadOnlyDictionary<NumaNodeId, long>.Empty;

    /// <summary>How many of a node's workers are spares: added while others were blocked, and not yet retired.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of threads; 0 for a node served by another one.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public int GetSpareCount(int nodeIndex) => ServingGroup(nodeIndex)?.SpareCount ?? 0;

    /// <summary>How many workers a node has now, spares included; 0 for a node served by another one.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of threads.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public int WorkerCount(int nodeIndex) => ServingGroup(nodeIndex)?.WorkerCount ?? 0;

    /// <summary>
    /// How much asynchronous work began on a node and ended outside the scheduler's workers, as after
    /// <c>ConfigureAwait(false)</c>: tasks returned by work given to <c>RunOnNode</c>, and <c>async void</c> methods that began
    /// under the node's <see cref="GetSynchronizationContext">context</see>. 0 for a node served by another one.
    /// </summary>
    /// <remarks>
    /// Not seen: where a method ran in between, and where a task ended that was created with
    /// <see cref="TaskCreationOptions.RunContinuationsAsynchronously"/>.
    /// </remarks>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The number of ends since the start.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public long GetEscapes(int nodeIndex) => ServingGroup(nodeIndex)?.Escapes ?? 0;

    private WorkerGroup? ServingGroup(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        var group = _groupOfNode[nodeIndex];
        return group.NodeIndex == nodeIndex ? group : null;
    }
}
