using NumaSharp.Playground.Benchmarks.Interop;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// CPU time of another process in nanoseconds, threads that have ended included: the scheduler's own sum of the thread
/// group. /proc/PID/stat has ticks of 10 ms, and /proc/PID/task/*/schedstat forgets a thread when it ends.
/// </summary>
internal sealed class ProcessCpuClock
{
    private readonly int _processId;
    private readonly int _clock;

    public ProcessCpuClock(int processId)
    {
        var result = HarnessCalls.GetProcessClock(processId, out _clock);
        if (!result.Succeeded)
        {
            throw new BenchmarkException($"no CPU clock of process {processId}: clock_getcpuclockid says {result.ErrorName}");
        }

        _processId = processId;
    }

    public long ReadNanoseconds()
    {
        var result = HarnessCalls.GetTime(_clock, out var nanoseconds);
        return result.Succeeded
            ? nanoseconds
            : throw new BenchmarkException(
                $"CPU clock of process {_processId}: clock_gettime says {result.ErrorName}; did it end?");
    }
}
