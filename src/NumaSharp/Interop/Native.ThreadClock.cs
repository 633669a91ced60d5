using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
    // CPUCLOCK_SCHED | CPUCLOCK_PERTHREAD_MASK, include/linux/posix-timers.h: the clock of pthread_getcpuclockid(3).
    private const int ThreadClock = 2 | 4;

    /// <summary>The kernel id of the calling thread (gettid(2)).</summary>
    public static int GetThreadId() => (int)Syscall(SyscallNumbers.GetThreadId);

    /// <summary>The CPU time that a thread of this process has used so far (clock_gettime(2)).</summary>
    public static SysResult GetThreadCpuTime(int threadId, out TimeSpan time)
    {
        Timespec read;
        var result = SysResult.FromReturn(ClockGetTime((~threadId << 3) | ThreadClock, &read));
        time = result.Succeeded
            ? new TimeSpan((read.Seconds * TimeSpan.TicksPerSecond) + (read.Nanoseconds / TimeSpan.NanosecondsPerTick))
            : default;
        return result;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    private static partial int ClockGetTime(int clock, Timespec* time);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Syscall(nint number);
}
