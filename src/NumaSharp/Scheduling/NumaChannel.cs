using System.Threading.Channels;

namespace NumaSharp.Scheduling;

/// <summary>
/// Channels of <see cref="System.Threading.Channels"/> whose readers run on a node: after <c>await</c> of
/// <see cref="ChannelReader{T}.ReadAsync"/>, <see cref="ChannelReader{T}.WaitToReadAsync"/> or <c>await foreach</c> over
/// <see cref="ChannelReader{T}.ReadAllAsync"/>, code goes on on a worker of the node, whether it had to wait or not, and whoever
/// writes. A synchronization context or task scheduler that the <c>await</c> captures still has its way.
/// </summary>
/// <remarks>
/// A read that was waiting is queued on the node by the writer itself, without a detour over the thread pool. Writers are left
/// where they are. After the scheduler's end readers go on on the thread pool.
/// </remarks>
public static class NumaChannel
{
    /// <summary>Makes a channel without a limit.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="scheduler">The scheduler of the node.</param>
    /// <param name="nodeIndex">The position of the readers' node in <see cref="NumaTaskScheduler.Plan"/>.</param>
    /// <param name="options">What may be assumed; <see langword="null"/> for the default.</param>
    /// <returns>The channel.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public static Channel<T> CreateUnbounded<T>(
        NumaTaskScheduler scheduler, int nodeIndex, UnboundedChannelOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return new NodeChannel<T>(
            Channel.CreateUnbounded<T>(options ?? new UnboundedChannelOptions()), scheduler.ServingGroupOf(nodeIndex));
    }

    /// <summary>Makes a channel whose writers wait while it is full.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="scheduler">The scheduler of the node.</param>
    /// <param name="nodeIndex">The position of the readers' node in <see cref="NumaTaskScheduler.Plan"/>.</param>
    /// <param name="capacity">How many items it holds.</param>
    /// <returns>The channel.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The plan has no such position, or the capacity is negative.
    /// </exception>
    public static Channel<T> CreateBounded<T>(NumaTaskScheduler scheduler, int nodeIndex, int capacity) =>
        CreateBounded<T>(scheduler, nodeIndex, new BoundedChannelOptions(capacity));

    /// <summary>Makes a channel that holds a number of items.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="scheduler">The scheduler of the node.</param>
    /// <param name="nodeIndex">The position of the readers' node in <see cref="NumaTaskScheduler.Plan"/>.</param>
    /// <param name="options">How many, what happens when it is full, and what may be assumed.</param>
    /// <param name="itemDropped">Is called with each item that a full channel drops.</param>
    /// <returns>The channel.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public static Channel<T> CreateBounded<T>(
        NumaTaskScheduler scheduler, int nodeIndex, BoundedChannelOptions options, Action<T>? itemDropped = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return new NodeChannel<T>(Channel.CreateBounded(options, itemDropped), scheduler.ServingGroupOf(nodeIndex));
    }
}
