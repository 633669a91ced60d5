using System.Diagnostics;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Time and CPU time of a slice. The CPU clock is read when all threads sleep: what they spin after the last item belongs to
/// it, and the kernel adds up a thread's time when it leaves its CPU.
/// </summary>
internal readonly struct SliceClock
{
    private static readonly ProcessCpuClock s_process = new(Environment.ProcessId);
    private static readonly TimeSpan s_settling = TimeSpan.FromMilliseconds(1);

    private readonly long _cpu;
    private readonly long _start;

    private SliceClock(long cpu)
    {
        _cpu = cpu;
        _start = Stopwatch.GetTimestamp();
    }

    public static SliceClock Start()
    {
        Pause.For(s_settling);
        return new SliceClock(s_process.ReadNanoseconds());
    }

    /// <summary>Ends the slice.</summary>
    /// <param name="operations">What was done in it.</param>
    /// <param name="overhead">CPU time in nanoseconds that the measuring itself took.</param>
    /// <param name="waits">From queue to start, where that is measured.</param>
    public Slice Stop(int operations, double overhead = 0, int[]? waits = null)
    {
        var time = Stopwatch.GetElapsedTime(_start);
        Pause.For(s_settling);
        var cpu = s_process.ReadNanoseconds() - _cpu - overhead;
        return new Slice(operations, time.TotalNanoseconds, cpu, waits is null ? [] : [waits]);
    }
}
