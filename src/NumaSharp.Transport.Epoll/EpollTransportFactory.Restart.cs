using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll;

/// <content>Restarting loops while they serve.</content>
public sealed partial class EpollTransportFactory
{
    /// <summary>
    /// Rebuilds every loop, one after the other: epoll instance and threads. Connections and listening sockets move with their
    /// pending events and stay open: nothing is lost. New connections of the loop being rebuilt wait in its listening socket's
    /// queue; the other loops keep serving theirs.
    /// </summary>
    /// <param name="cancellationToken">
    /// Stops waiting for a loop with a hanging callback, and skips the loops after it.
    /// </param>
    /// <exception cref="NumaException">No descriptors, memory or thread for a loop: it continues unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The transport was disposed.</exception>
    public async Task RestartAsync(CancellationToken cancellationToken = default)
    {
        for (var loop = 0; loop < _counters.Length; loop++)
        {
            await RestartAsync(loop, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Rebuilds one loop, as <see cref="RestartAsync(CancellationToken)"/>; does nothing when no loop runs.</summary>
    /// <param name="loopIndex">The number of the loop.</param>
    /// <param name="cancellationToken">Ends the wait, not the restart.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such loop.</exception>
    /// <exception cref="NumaException">No descriptors, memory or thread: the loop continues unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The transport was disposed.</exception>
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
