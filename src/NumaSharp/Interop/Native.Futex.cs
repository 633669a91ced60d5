using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
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
}
