using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Reports frequent hand-overs at most once a minute, and passes on which loop it was, so that a blocking call can be looked for.
/// A few are normal: the first requests of a process are compiled on the loop. Called only by the outbox's thread.
/// </summary>
internal sealed class HandOverReport(
    EpollTransportLog log,
    Func<TimeSpan> threshold,
    LoopCounters[] counters,
    Action<NumaEventLoop>? many = null,
    TimeProvider? time = null)
{
    internal const int Many = 20;

    private static readonly TimeSpan s_interval = TimeSpan.FromMinutes(1);

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private long? _windowStart;
    private int _inWindow;
    private bool _isReported;

    public void OnHandedOver(NumaEventLoop loop, EventLoopHandler? handler)
    {
        if (Note(loop.Index))
        {
            many?.Invoke(loop);
        }
    }

    /// <summary>Records a hand-over.</summary>
    /// <returns>Whether this one caused the report.</returns>
    internal bool Note(int loopIndex)
    {
        if (_windowStart is not { } start || _time.GetElapsedTime(start) >= s_interval)
        {
            _windowStart = _time.GetTimestamp();
            _inWindow = 0;
            _isReported = false;
        }

        if (++_inWindow < Many || _isReported)
        {
            return false;
        }

        log.HandedOver(loopIndex, threshold().TotalMilliseconds, counters[loopIndex].HandOvers);
        return _isReported = true;
    }
}
