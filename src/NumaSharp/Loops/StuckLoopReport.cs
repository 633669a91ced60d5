using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>
/// Reports that a loop is stuck, once a minute while it is, and then that it resumed. Called by one thread at a time.
/// </summary>
/// <param name="loops">How many loops there are.</param>
/// <param name="stuck">Receives the loop, the seconds, the callback, and the reason.</param>
/// <param name="resumed">Receives the loop, and the seconds after which it resumed.</param>
internal sealed class StuckLoopReport(
    int loops, Action<NumaEventLoop, long, string, string> stuck, Action<NumaEventLoop, long> resumed)
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

    public void OnResumed(NumaEventLoop loop, TimeSpan duration)
    {
        if (_isReported[loop.Index])
        {
            _isReported[loop.Index] = false;
            resumed(loop, SecondsOf(duration));
        }
    }

    private static long SecondsOf(TimeSpan duration) => (long)duration.TotalSeconds;
}
