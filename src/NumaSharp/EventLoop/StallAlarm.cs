using System.Diagnostics;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// What has the watchdog look at a loop that runs: a timer, which nobody has to wake up for. Set when the loop wakes up; taken
/// back when it goes to sleep, unless it wakes up more often than a timer could expire: then the timer stays set, no system
/// call is made, and the watchdog, which sets it again after each look, lets it go when the loop has become quiet.
/// </summary>
internal sealed class StallAlarm(StallWatchdog watchdog, TimerFdHandle timer)
{
    private const int Off = 0;
    private const int On = 1;

    private int _state;

    // The holder's.
    private long _setAt;
    private bool _staysSet;

    /// <summary>Whether the watchdog is to look: the timer is set, or has expired and the watchdog is about to set it.</summary>
    public bool IsOn => Volatile.Read(ref _state) == On;

    /// <summary>Set by <see cref="StallWatchdog.Set"/>, which the watchdog learns of; taken back here.</summary>
    public TimerFdHandle Timer => timer;

    /// <summary>By the loop's holder, after it has announced that it is awake, with a full fence.</summary>
    public void OnAwake()
    {
        if (!IsOn)
        {
            var now = Stopwatch.GetTimestamp();
            _staysSet = now - _setAt < watchdog.ClosePeriod;
            _setAt = now;

            // A change of the threshold finds this, or is found after the timer was set (StallWatchdog.Set).
            Interlocked.Exchange(ref _state, On);
            watchdog.Set(this, now, isClose: false);
        }
    }

    /// <summary>By the loop's holder, after it has announced that it sleeps, with a full fence.</summary>
    public void OnAsleep()
    {
        if (_staysSet || !TryTurnOff())
        {
            return;
        }

        _ = timer.Set(0);
        if (IsOn)
        {
            // The watchdog had let go, found the loop awake again, and perhaps set the timer before this took it back.
            watchdog.Set(this, Stopwatch.GetTimestamp(), isClose: false);
        }
    }

    /// <returns>False: somebody else has.</returns>
    public bool TryTurnOff() => Interlocked.CompareExchange(ref _state, Off, On) == On;

    /// <returns>False: somebody else has.</returns>
    public bool TryTurnOn() => Interlocked.CompareExchange(ref _state, On, Off) == Off;
}
