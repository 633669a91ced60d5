using System.Diagnostics;

namespace NumaSharp.Interop;

/// <summary>
/// Owns a timerfd(2) on the monotonic clock, which is <see cref="Stopwatch"/>'s. Watched edge-triggered it need not be read:
/// every expiry is an edge, and setting it cancels an expiry that has not been reported yet.
/// </summary>
internal sealed unsafe class TimerFdHandle : FileDescriptorHandle
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private static readonly long s_nanosecondsPerTick = NanosecondsPerSecond / Stopwatch.Frequency;

    private TimerFdHandle(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(out TimerFdHandle? timer)
    {
        var result = SysResult.FromReturn(Native.TimerFdCreate(Native.CLOCK_MONOTONIC, Native.TFD_CLOEXEC | Native.TFD_NONBLOCK));
        timer = result.Succeeded ? new TimerFdHandle((int)result.Value) : null;
        return result;
    }

    /// <summary>Sets when the timer expires, once.</summary>
    /// <param name="timestamp">In ticks of <see cref="Stopwatch"/>: a past time expires at once, 0 never.</param>
    /// <returns>The error if it was not set; success also when the timer is closed.</returns>
    public SysResult Set(long timestamp)
    {
        var added = false;
        try
        {
            // The watchdog may end while a loop sets its timer: the reference keeps the number from being reused.
            DangerousAddRef(ref added);
            var (seconds, rest) = Math.DivRem(timestamp * s_nanosecondsPerTick, NanosecondsPerSecond);
            var setting = new Native.TimerSetting { Value = new Native.Timespec { Seconds = seconds, Nanoseconds = rest } };
            return SysResult.FromReturn(Native.TimerFdSetTime(Number, Native.TFD_TIMER_ABSTIME, &setting, null));
        }
        catch (ObjectDisposedException) when (!added)
        {
            return default;
        }
        finally
        {
            if (added)
            {
                DangerousRelease();
            }
        }
    }
}
