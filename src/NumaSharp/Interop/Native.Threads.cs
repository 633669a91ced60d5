using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
    private static readonly bool s_libcHasGetCpu =
        NativeLibrary.TryLoad("libc", typeof(Native).Assembly, null, out var libc)
        && NativeLibrary.TryGetExport(libc, "getcpu", out _);

    /// <summary>getcpu(2), through the vDSO where the C library exports it (glibc 2.29), otherwise as a system call.</summary>
    public static SysResult GetCpu(out int cpu, out int node)
    {
        if (!s_libcHasGetCpu)
        {
            return GetCpuBySyscall(out cpu, out node);
        }

        uint cpuValue = 0;
        uint nodeValue = 0;
        var result = SysResult.FromReturn(GetCpu(&cpuValue, &nodeValue));
        (cpu, node) = ((int)cpuValue, (int)nodeValue);
        return result;
    }

    public static SysResult GetCpuBySyscall(out int cpu, out int node)
    {
        uint cpuValue = 0;
        uint nodeValue = 0;
        var result = SysResult.FromReturn(Syscall(SyscallNumbers.GetCpu, &cpuValue, &nodeValue, null));
        (cpu, node) = ((int)cpuValue, (int)nodeValue);
        return result;
    }

    [LibraryImport("libc", EntryPoint = "getcpu", SetLastError = true)]
    private static partial int GetCpu(uint* cpu, uint* node);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Syscall(nint number, uint* cpu, uint* node, void* unused);

    private const int FutexWaitPrivate = 0 | 128;
    private const int FutexWakePrivate = 1 | 128;

    /// <summary>
    /// FUTEX_WAIT of futex(2): sleeps while the word has the value. EAGAIN when it has another one, ETIMEDOUT at the limit; it
    /// may also return early without a reason.
    /// </summary>
    /// <param name="word">The word; it must not move meanwhile.</param>
    /// <param name="value">The value to sleep on.</param>
    /// <param name="limit">The limit, or <see langword="null"/> for none.</param>
    public static SysResult FutexWait(int* word, int value, TimeSpan? limit)
    {
        if (limit is not { } time)
        {
            return SysResult.FromReturn(Futex(SyscallNumbers.Futex, word, FutexWaitPrivate, value, null));
        }

        var timeout = new Timespec
        {
            Seconds = time.Ticks / TimeSpan.TicksPerSecond,
            Nanoseconds = time.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
        };
        return SysResult.FromReturn(Futex(SyscallNumbers.Futex, word, FutexWaitPrivate, value, &timeout));
    }

    /// <summary>FUTEX_WAKE of futex(2): wakes at most one thread that sleeps on the word.</summary>
    public static SysResult FutexWake(int* word) =>
        SysResult.FromReturn(Futex(SyscallNumbers.Futex, word, FutexWakePrivate, 1, null));

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Futex(nint number, int* word, int operation, int value, Timespec* timeout);

    /// <summary>sched_getaffinity(2): EINVAL when the mask is narrower than the kernel's own.</summary>
    public static SysResult SchedGetAffinity(int threadId, Span<ulong> mask)
    {
        fixed (ulong* words = mask)
        {
            return SysResult.FromReturn(SchedGetAffinity(threadId, (nuint)(mask.Length * sizeof(ulong)), words));
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    private static partial int SchedGetAffinity(int pid, nuint cpusetsize, ulong* mask);

    /// <summary>sched_setaffinity(2).</summary>
    public static SysResult SchedSetAffinity(int threadId, ReadOnlySpan<ulong> mask)
    {
        fixed (ulong* words = mask)
        {
            return SysResult.FromReturn(SchedSetAffinity(threadId, (nuint)(mask.Length * sizeof(ulong)), words));
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SchedSetAffinity(int pid, nuint cpusetsize, ulong* mask);

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

    [LibraryImport("libc", EntryPoint = "nanosleep", SetLastError = true)]
    private static partial int NanosleepCore(Timespec* requested, Timespec* remaining);

    /// <summary>Sleeps; a signal may end it early, which is harmless for a periodic sampler.</summary>
    public static void Nanosleep(TimeSpan duration)
    {
        var (seconds, rest) = Math.DivRem(duration.Ticks, TimeSpan.TicksPerSecond);
        var requested = new Timespec { Seconds = seconds, Nanoseconds = rest * TimeSpan.NanosecondsPerTick };
        _ = NanosleepCore(&requested, null);
    }

    /// <summary>struct timespec (timespec(3type)) of 64-bit Linux.</summary>
    public struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
