using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
    public const int CLOCK_MONOTONIC = 1;
    public const int TFD_CLOEXEC = 0x80000;
    public const int TFD_NONBLOCK = 0x800;
    public const int TFD_TIMER_ABSTIME = 1;

    [LibraryImport("libc", EntryPoint = "timerfd_create", SetLastError = true)]
    public static partial int TimerFdCreate(int clock, int flags);

    [LibraryImport("libc", EntryPoint = "timerfd_settime", SetLastError = true)]
    public static partial int TimerFdSetTime(int fd, int flags, TimerSetting* setting, TimerSetting* former);

    /// <summary>struct itimerspec (timerfd_create(2)) of 64-bit Linux.</summary>
    public struct TimerSetting
    {
        public Timespec Interval;
        public Timespec Value;
    }
}
