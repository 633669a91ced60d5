using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

/// <summary>CPU time in nanoseconds, user and kernel (clock_gettime(2)).</summary>
internal readonly partial struct CpuClock
{
    private const int CLOCK_THREAD_CPUTIME_ID = 3;

    // CPUCLOCK_SCHED of include/linux/posix-timers.h, whose MAKE_PROCESS_CPUCLOCK this is.
    private const int ProcessClock = 2;

    private readonly int _id;

    private CpuClock(int id) => _id = id;

    /// <summary>That of the thread that reads it.</summary>
    public static CpuClock OfThread { get; } = new(CLOCK_THREAD_CPUTIME_ID);

    /// <summary>That of a process with all its threads, those that have ended, too.</summary>
    public static CpuClock OfProcess(int processId) => new((~processId << 3) | ProcessClock);

    /// <exception cref="NumaException">The process has ended.</exception>
    public unsafe long Read()
    {
        Timespec time;
        var result = SysResult.FromReturn(GetTime(_id, &time));
        return result.Succeeded
            ? (time.Seconds * 1_000_000_000) + time.Nanoseconds
            : throw new NumaException($"clock_gettime: the CPU clock cannot be read: {result.ErrorName}.");
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    private static unsafe partial int GetTime(int clock, Timespec* time);

    // struct timespec (timespec(3type)) of 64-bit Linux.
    [StructLayout(LayoutKind.Sequential)]
    private struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
