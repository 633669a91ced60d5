using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Says that a loop is stuck, once a minute while it is, and then that it goes on. Called by one thread at a time, the monitor's.
/// </summary>
internal sealed class StuckLoopReport(EpollTransportLog log, int loops)
{
    private readonly LogGate[] _gates = new LogGate[loops];
    private readonly bool[] _isReported = new bool[loops];

    public void OnStuck(NumaEventLoopStall stall)
    {
        var (loop, handler, duration, reason) = stall;
        if (_gates[loop.Index].TryPass())
        {
            _isReported[loop.Index] = true;
            log.LoopStuck(loop.Index, loop.NodeId, SecondsOf(duration), handler?.ToString() ?? "no callback", reason);
        }
    }

    public void OnWentOn(NumaEventLoop loop, TimeSpan duration)
    {
        if (_isReported[loop.Index])
        {
            _isReported[loop.Index] = false;
            log.LoopGoesOn(loop.Index, loop.NodeId, SecondsOf(duration));
        }
    }

    private static long SecondsOf(TimeSpan duration) => (long)duration.TotalSeconds;
}
