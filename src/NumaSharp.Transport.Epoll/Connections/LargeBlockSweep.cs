using System.Collections.Concurrent;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Connections of one loop that wait, for their client, with blocks much larger than what is in them. Half a second later, those
/// that still do get their bytes moved into small blocks: large ones are for what flows, and a client that stops in the middle of
/// a header, or reads no more, must not keep them. Nothing runs while there are none.
/// </summary>
internal sealed class LargeBlockSweep : EventLoopHandler, IDisposable
{
    /// <summary>Of room that is not used; less is not worth it.</summary>
    public const int LeastWaste = 8 << 10;

    // What is moved before others of the loop have their turn.
    private const int BytesInARow = 1 << 20;

    internal static readonly TimeSpan After = TimeSpan.FromMilliseconds(500);

    private readonly ConcurrentQueue<EpollConnection> _noted = new();
    private readonly NumaEventLoop _loop;
    private readonly ITimer _timer;
    private int _isArmed;

    public LargeBlockSweep(NumaEventLoop loop, TimeProvider time)
    {
        _loop = loop;
        _timer = time.CreateTimer(
            static sweep => ((LargeBlockSweep)sweep!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Notes a connection that was not noted. Takes no lock: it is called under those of its pipes.</summary>
    public void Add(EpollConnection connection)
    {
        _noted.Enqueue(connection);

        // After that: a sweep looks at the queue after it has cleared the mark.
        if (Interlocked.Exchange(ref _isArmed, 1) == 0)
        {
            _timer.Change(After, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose() => _timer.Dispose();

    protected internal override void OnReady(EventLoopEvents events)
    {
        Interlocked.Exchange(ref _isArmed, 0);

        // Not what is noted meanwhile, which is left alone until the next sweep.
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
