using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
    public const int EPOLL_CTL_ADD = 1;
    public const int EPOLL_CTL_DEL = 2;
    public const int EPOLL_CTL_MOD = 3;
    public const int EPOLL_CLOEXEC = 0x80000;
    public const uint EPOLLIN = 0x001;
    public const uint EPOLLPRI = 0x002;
    public const uint EPOLLOUT = 0x004;
    public const uint EPOLLERR = 0x008;
    public const uint EPOLLHUP = 0x010;
    public const uint EPOLLRDHUP = 0x2000;
    public const uint EPOLLET = 1u << 31;

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int EpollCreate(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int EpollControl(int epoll, int operation, int fd, void* change);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int EpollWait(int epoll, void* events, int maxEvents, int timeoutMilliseconds);

    public const int EFD_CLOEXEC = 0x80000;
    public const int EFD_NONBLOCK = 0x800;

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    public static partial int EventFd(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static partial nint Write(int fd, void* buffer, nuint count);

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

    // _IOW(0x8A, 1, struct epoll_params) and _IOR(0x8A, 2, struct epoll_params), the same on x64 and arm64.
    public const uint EPIOCSPARAMS = 0x40088A01;
    public const uint EPIOCGPARAMS = 0x80088A02;

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    public static partial int DeviceControl(int fd, nuint request, void* argument);
}

/// <summary>The kernel's struct epoll_params (include/uapi/linux/eventpoll.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EpollParameters
{
    public uint BusyPollMicroseconds;
    public ushort BusyPollBudget;
    public byte PreferBusyPoll;
    public byte Padding;
}
