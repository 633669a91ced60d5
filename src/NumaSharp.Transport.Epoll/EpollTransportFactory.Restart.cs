using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll;

/// <content>Restarting loops while they serve.</content>
public sealed partial class EpollTransportFactory
{
    /// <summary>
    /// Makes every loop anew, one after the other: epoll instance and threads. Connections and listening sockets move with all
    /// that is on its way to them, and stay open: nothing is lost. New connections of the loop that is restarted wait in its
    /// listening socket's queue meanwhile, the other loops serve theirs.
    /// </summary>
    /// <param name="cancellationToken">
    /// Ends the waiting for a loop whose callback does not return, and the restarting of those after it.
    /// </param>
    /// <exception cref="NumaException">A loop found no descriptors, memory or thread: it goes on as it was.</exception>
    /// <exception cref="ObjectDisposedException">The transport ends.</exception>
    public async Task RestartAsync(CancellationToken cancellationToken = default)
    {
        for (var loop = 0; loop < _counters.Length; loop++)
        {
            await RestartAsync(loop, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Makes one loop anew, as <see cref="RestartAsync(CancellationToken)"/>; nothing when no loop runs.</summary>
    /// <param name="loopIndex">The number of the loop.</param>
    /// <param name="cancellationToken">Ends the waiting, not the restart.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such loop.</exception>
    /// <exception cref="NumaException">There are no descriptors, memory or thread: the loop goes on as it was.</exception>
    /// <exception cref="ObjectDisposedException">The transport ends.</exception>
    public Task RestartAsync(int loopIndex, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(loopIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(loopIndex, _counters.Length);
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _shards?[loopIndex].Loop.RestartAsync(cancellationToken) ?? Task.CompletedTask;
        }
    }
}
