using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Connections of one loop that wait, for their client, with blocks much larger than what is in them. A second later, those that
/// still do get their bytes moved into small blocks: large ones are for what flows, and a client that stops in the middle of a
/// header, or reads no more, must not keep them. Nothing runs while there are none.
/// </summary>
internal sealed class LargeBlockSweep : EventLoopHandler, IDisposable
{
    /// <summary>Of room that is not used; less is not worth it.</summary>
    public const int LeastWaste = 8 << 10;

    // What is moved before others of the loop have their turn.
    private const int BytesInARow = 1 << 20;

    internal static readonly TimeSpan After = TimeSpan.FromSeconds(1);

    private readonly Lock _taking = new();
    private readonly NumaEventLoop _loop;
    private readonly ITimer _timer;
    private EpollConnection? _noted;
    private EpollConnection? _taken;
    private int _isArmed;

    public LargeBlockSweep(NumaEventLoop loop, TimeProvider time)
    {
        _loop = loop;
        _timer = time.CreateTimer(
            static sweep => ((LargeBlockSweep)sweep!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Notes a connection that was not noted. Lock-free: it is called under the locks of its pipes.</summary>
    public void Add(EpollConnection connection)
    {
        var next = Volatile.Read(ref _noted);
        for (EpollConnection? seen; ; next = seen)
        {
            connection.NextNoted = next;
            seen = Interlocked.CompareExchange(ref _noted, connection, next);
            if (ReferenceEquals(seen, next))
            {
                break;
            }
        }

        // After the push: a sweep takes the list after it has cleared the mark.
        if (Interlocked.Exchange(ref _isArmed, 1) == 0)
        {
            _timer.Change(After, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose() => _timer.Dispose();

    protected internal override void OnReady(EventLoopEvents events)
    {
        // The rest of a list that took too long, or a new one; not both: what is noted now is left alone for a second.
        var isNew = TryBegin();
        for (var moved = 0L; Take() is { } connection;)
        {
            moved += connection.MoveToSmallBlocks();
            if (moved >= BytesInARow)
            {
                _loop.Post(this);
                return;
            }
        }

        if (!isNew)
        {
            // The timer of a new one may have expired meanwhile.
            _loop.Post(this);
        }
    }

    private bool TryBegin()
    {
        lock (_taking)
        {
            if (_taken is not null)
            {
                return false;
            }

            Interlocked.Exchange(ref _isArmed, 0);
            _taken = Interlocked.Exchange(ref _noted, null);
            return true;
        }
    }

    // One at a time: after a hand-over there may be two threads here.
    private EpollConnection? Take()
    {
        lock (_taking)
        {
            var connection = _taken;
            if (connection is not null)
            {
                _taken = connection.NextNoted;
                connection.NextNoted = null;
            }

            return connection;
        }
    }

    private void OnTimer() => _loop.Post(this);
}
