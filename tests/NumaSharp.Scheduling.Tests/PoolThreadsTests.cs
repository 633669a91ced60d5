using NumaSharp.Core;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// Threads that a pinned worker is the first to need do not get its CPUs: those of the pool, of timers and sockets, and the
/// library's own shared threads.
/// </summary>
public sealed class PoolThreadsTests
{
    [Fact]
    public async Task Threads_StartedFromAPinnedWorker_MayRunOnAllCpusOfTheProcess()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux tells the CPUs of each thread (/proc).");
        var allowed = NumaTopology.Instance.AllowedCpus;
        Assert.SkipUnless(allowed.Count > 1, $"This process has CPU {allowed} only: workers cannot be confined further.");

        var probe = Path.Combine(AppContext.BaseDirectory, "NumaSharp.ThreadProbe.dll");
        var threads = await ExternalProgram.RunAsync(DotnetHost.Path, probe, $"{NumaAffinityGranularity.Cpu}");
        ProbedThread.AssertOnlyWorkersAreConfined(ProbedThread.Parse(threads));
    }
}
