using System.Diagnostics;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// Sleeps on a futex(2) word: one system call to sleep and one to wake, no lock between the two threads. An interruption of
/// the thread (<see cref="Thread.Interrupt"/>) does not end this wait; it stays pending.
/// </summary>
internal sealed unsafe class FutexParker : Parker
{
    private const int Empty = 0;
    private const int Signalled = 1;
    private const int Asleep = 2;

    // A cache line of its own (two, with the adjacent-line prefetcher), which the garbage collector does not move.
    private const int WordIndex = 32;
    private readonly int[] _line = GC.AllocateArray<int>(2 * WordIndex, pinned: true);

    public override bool IsAsleep => Volatile.Read(ref Word) == Asleep;

    public override bool IsSignalled => Volatile.Read(ref Word) == Signalled;

    private ref int Word => ref _line[WordIndex];

    public override bool Wait(int milliseconds = Timeout.Infinite)
    {
        if (Interlocked.CompareExchange(ref Word, Asleep, Empty) != Empty)
        {
            // A full fence: if this swallows another signal, the caller now sees what that signal was for.
            Interlocked.Exchange(ref Word, Empty);
            return true;
        }

        var started = milliseconds == Timeout.Infinite ? 0 : Stopwatch.GetTimestamp();
        fixed (int* word = &Word)
        {
            while (Volatile.Read(ref *word) == Asleep)
            {
                TimeSpan? left = milliseconds == Timeout.Infinite
                    ? null : TimeSpan.FromMilliseconds(milliseconds) - Stopwatch.GetElapsedTime(started);
                if (left <= TimeSpan.Zero)
                {
                    break;
                }

                // The result does not matter: the word decides.
                _ = Native.FutexWait(word, Asleep, left);
            }
        }

        return Interlocked.Exchange(ref Word, Empty) == Signalled;
    }

    public override void Signal()
    {
        if (Interlocked.Exchange(ref Word, Signalled) == Asleep)
        {
            fixed (int* word = &Word)
            {
                _ = Native.FutexWake(word);
            }
        }
    }
}
