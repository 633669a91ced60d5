using System.Diagnostics;
using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// Where one thread sleeps until it is signalled. A signal that comes first is kept, several count as one.
/// </summary>
internal abstract class Parker
{
    /// <summary>The cheapest kind that the system has.</summary>
    public static Parker Create() =>
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64
            ? new FutexParker()
            : new MonitorParker();

    /// <summary>Sleeps until there is a signal, and consumes it.</summary>
    /// <param name="milliseconds">The limit, or <see cref="Timeout.Infinite"/>.</param>
    /// <returns>Whether there was a signal within the limit.</returns>
    public abstract bool Wait(int milliseconds = Timeout.Infinite);

    /// <summary>Whether the thread sleeps here.</summary>
    public abstract bool IsAsleep { get; }

    /// <summary>Whether there is a signal that no wait has consumed.</summary>
    public abstract bool IsSignalled { get; }

    /// <summary>Ends the sleep, or the next one.</summary>
    public abstract void Signal();
}

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

/// <summary>Sleeps on a lock of .NET, where there is no futex.</summary>
internal sealed class MonitorParker : Parker
{
    private readonly object _gate = new();
    private bool _signalled;
    private bool _isAsleep;

    public override bool IsAsleep => Volatile.Read(ref _isAsleep);

    public override bool IsSignalled => Volatile.Read(ref _signalled);

    public override bool Wait(int milliseconds = Timeout.Infinite)
    {
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    if (!_signalled)
                    {
                        Volatile.Write(ref _isAsleep, true);
                        Monitor.Wait(_gate, milliseconds);
                    }

                    Volatile.Write(ref _isAsleep, false);
                    var signalled = _signalled;
                    _signalled = false;
                    if (signalled || milliseconds != Timeout.Infinite)
                    {
                        return signalled;
                    }
                }
            }
            catch (ThreadInterruptedException)
            {
                // An item interrupted the thread that ran it, and has ended. The interruption is not for this wait: keep waiting.
                Volatile.Write(ref _isAsleep, false);
            }
        }
    }

    public override void Signal()
    {
        var interrupted = false;
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    Volatile.Write(ref _signalled, true);
                    Monitor.Pulse(_gate);
                    break;
                }
            }
            catch (ThreadInterruptedException)
            {
                // A lost signal would lose a worker for good; the caller is interrupted afterwards.
                interrupted = true;
            }
        }

        if (interrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
