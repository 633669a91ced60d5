using System.Collections.Concurrent;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Connections of one loop that wait for their client with blocks much larger than their content. Half a second later, the bytes
/// of those still waiting are moved into small blocks: large ones are for flowing data, and a client that stops in the middle of
/// a header, or stops reading, must not keep them. Nothing runs while there are none.
/// </summary>
internal sealed class LargeBlockSweep : EventLoopHandler, IDisposable
{
    /// <summary>Unused bytes in a block; moving is not worth it for less.</summary>
    public const int LeastWaste = 8 << 10;

    // Bytes moved before other connections of the loop get their turn.
    private const int BytesInARow = 1 << 20;

    internal static readonly TimeSpan After = TimeSpan.FromMilliseconds(500);

    private readonly ConcurrentQueue<EpollConnection> _noted = new();
    private readonly NumaEventLoop _loop;
    private readonly ITimer _timer;
    private int _isArmed;

    public LargeBlockSweep(NumaEventLoop loop, LoopUser user, TimeProvider time)
    {
        _loop = loop;
        User = user;
        _timer = time.CreateTimer(
            static sweep => ((LargeBlockSweep)sweep!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    internal override LoopUser User { get; }

    /// <summary>Queues a connection that is not queued yet. Takes no lock: it is called under those of its pipes.</summary>
    public void Add(EpollConnection connection)
    {
        _noted.Enqueue(connection);

        // After Enqueue: a sweep clears the mark first and then reads the queue.
        if (Interlocked.Exchange(ref _isArmed, 1) == 0)
        {
            _timer.Change(After, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose() => _timer.Dispose();

    protected internal override void OnReady(EventLoopEvents events)
    {
        Interlocked.Exchange(ref _isArmed, 0);

        // Connections queued during this sweep wait for the next one.
        var moved = 0L;
        for (var left = _noted.Count; left > 0 && _noted.TryDequeue(out var connection); left--)
        {
            moved += connection.MoveToSmallBlocks();
            if (moved >= BytesInARow)
            {
                _loop.Post(this);
                return;
            }
        }
    }

    private void OnTimer() => _loop.Post(this);
}
