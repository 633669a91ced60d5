using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>Says at most once a minute that a loop was handed over; the counters have every one.</summary>
internal sealed class HandOverReport(EpollTransportLog log, TimeSpan threshold, LoopCounters[] counters)
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMinutes(1);

    private readonly TimeProvider _time = TimeProvider.System;
    private long _lastReport;

    public void OnHandedOver(NumaEventLoop loop, EventLoopHandler? handler)
    {
        var handOvers = counters[loop.Index].OnHandedOver();
        var now = _time.GetTimestamp();
        var last = Volatile.Read(ref _lastReport);
        if ((last == 0 || _time.GetElapsedTime(last, now) >= s_interval)
            && Interlocked.CompareExchange(ref _lastReport, now, last) == last)
        {
            log.HandedOver(loop.Index, threshold.TotalMilliseconds, handOvers);
        }
    }
}
