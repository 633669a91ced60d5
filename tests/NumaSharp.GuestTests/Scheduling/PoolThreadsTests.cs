using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Scheduling;

/// <summary>Threads that a worker of one node is the first to need do not get the node's CPUs.</summary>
public sealed class PoolThreadsTests : ThreeNodeTests
{
    [Theory]
    [InlineData(NumaAffinityGranularity.Node)]
    [InlineData(NumaAffinityGranularity.Cpu)]
    public async Task Threads_StartedFromAPinnedWorker_MayRunOnAllCpus(NumaAffinityGranularity granularity)
    {
        var child = await Child.RunAsync("NumaSharp.ThreadProbe.dll", [$"{granularity}"]);

        Assert.True(child is { ExitCode: 0, Errors: "" }, $"The probe ended with {child.ExitCode}: {child.Errors}");
        var threads = ProbedThread.Parse(child.Output);
        ProbedThread.AssertOnlyWorkersAreConfined(threads);
        Assert.Contains(new ProbedThread("main", TheMachine.AllCpus), threads);
    }
}
