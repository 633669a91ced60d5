using System.Diagnostics;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// A timer that makes the watchdog check a running loop, so that no thread has to poll. The holder sets it after each wake-up,
/// before the first callback that may lose the loop, and cancels it before the loop sleeps. If the loop wakes up more often than
/// the timer could expire, the timer stays set, without system calls: the watchdog sets it again after each check, and drops it
/// when the loop has become quiet.
/// </summary>
internal sealed class StallAlarm(StallWatchdog watchdog, TimerFdHandle timer)
{
    private const int Off = 0;
    private const int On = 1;

    private int _state;

    // Used only by the holder.
    private long _setAt;
    private bool _staysSet;

    /// <summary>Whether the watchdog is to check: the timer is set, or has expired and the watchdog is about to set it.</summary>
    public bool IsOn => Volatile.Read(ref _state) == On;

    /// <summary>
    /// Set by <see cref="StallWatchdog.Set"/>, which handles a failure; canceled here, where a failure is harmless.
    /// </summary>
    public TimerFdHandle Timer => timer;

    /// <summary>
    /// Called by the loop's holder before a callback, when it is off, after the holder has announced, with a full fence, that it
    /// is awake.
    /// </summary>
    public void TurnOn()
    {
        var now = Stopwatch.GetTimestamp();
        _staysSet = now - _setAt < watchdog.ClosePeriod;
        _setAt = now;

        // A change of the threshold sees this, or is seen after the timer was set (StallWatchdog.Set).
        Interlocked.Exchange(ref _state, On);
        watchdog.Set(this, now, isClose: false);
    }

    /// <summary>Called by the loop's holder, after it has announced, with a full fence, that it sleeps.</summary>
    public void OnAsleep()
    {
        if (_staysSet || !TryTurnOff())
        {
            return;
        }

        _ = timer.Set(0);
        if (IsOn)
        {
            // The watchdog turned the alarm off, found the loop awake again, and perhaps set the timer before this canceled it.
            watchdog.Set(this, Stopwatch.GetTimestamp(), isClose: false);
        }
    }

    /// <returns>False: it was off already.</returns>
    public bool TryTurnOff() => Interlocked.CompareExchange(ref _state, Off, On) == On;

    /// <returns>False: it was on already.</returns>
    public bool TryTurnOn() => Interlocked.CompareExchange(ref _state, On, Off) == Off;
}
