using NumaSharp.EventLoop;

namespace NumaSharp.Logging;

/// <summary>
/// Says that a loop is stuck, once a minute while it is, and then that it goes on. Called by one thread at a time, the monitor's.
/// </summary>
/// <param name="loops">How many loops there are.</param>
/// <param name="stuck">Told the loop, for how many seconds, by which callback, and why.</param>
/// <param name="goesOn">Told the loop, and after how many seconds.</param>
internal sealed class StuckLoopReport(
    int loops, Action<NumaEventLoop, long, string, string> stuck, Action<NumaEventLoop, long> goesOn)
{
    private readonly LogGate[] _gates = new LogGate[loops];
    private readonly bool[] _isReported = new bool[loops];

    public void OnStuck(NumaEventLoopStall stall)
    {
        var loop = stall.Loop;
        if (_gates[loop.Index].TryPass())
        {
            _isReported[loop.Index] = true;
            stuck(loop, SecondsOf(stall.Duration), stall.Handler?.ToString() ?? "no callback", stall.Reason);
        }
    }

    public void OnWentOn(NumaEventLoop loop, TimeSpan duration)
    {
        if (_isReported[loop.Index])
        {
            _isReported[loop.Index] = false;
            goesOn(loop, SecondsOf(duration));
        }
    }

    private static long SecondsOf(TimeSpan duration) => (long)duration.TotalSeconds;
}
