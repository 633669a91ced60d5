using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class ProcessCpuClockTests
{
    private const long Work = 5_000_000;

    // PID_MAX_LIMIT of 64-bit kernels is 4194304 (proc(5), pid_max).
    private const int AboveAnyProcessId = 4_194_305;

    [Fact]
    public void ReadNanoseconds_AfterAThreadThatWorkedHasEnded_StillHasItsTime()
    {
        var clock = new ProcessCpuClock(Environment.ProcessId);
        var before = clock.ReadNanoseconds();
        TestThreads.Run(() =>
        {
            while (clock.ReadNanoseconds() - before < Work)
            {
                Thread.SpinWait(100);
            }
        });

        Assert.True(clock.ReadNanoseconds() - before >= Work);
    }

    [Fact]
    public void Constructor_NoSuchProcess_SaysWhich()
    {
        var failure = Assert.Throws<BenchmarkException>(() => new ProcessCpuClock(AboveAnyProcessId));

        Assert.Contains("4194305", failure.Message, StringComparison.Ordinal);
    }
}
