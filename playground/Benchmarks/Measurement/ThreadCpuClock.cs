using NumaSharp.Playground.Benchmarks.Interop;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>CPU time of the calling thread, user and kernel (clock_gettime(2)).</summary>
internal static class ThreadCpuClock
{
    // CLOCK_THREAD_CPUTIME_ID
    private const int Clock = 3;

    public static long ReadNanoseconds()
    {
        var result = HarnessCalls.GetTime(Clock, out var nanoseconds);
        return result.Succeeded
            ? nanoseconds
            : throw new BenchmarkException($"CPU clock of a thread: clock_gettime says {result.ErrorName}");
    }
}
