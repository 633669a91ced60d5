using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Tests.Scheduling;

public sealed class PinningTests
{
    private readonly NumaPlan _plan = TestMachine.Plan(2, 3);
    private readonly INumaAffinityProvider _provider = Substitute.For<INumaAffinityProvider>();
    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void Workers_PlanEnabled_ArePinnedToTheCpusOfTheirNode()
    {
        _provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(NumaResult.Success);

        Start(_provider).Dispose();

        _provider.Received(2).SetThreadCpus(CpuSet.Range(0, 2));
        _provider.Received(3).SetThreadCpus(CpuSet.Range(2, 3));
    }

    [Fact]
    public void Workers_StartedFromAPinnedThread_PinThemselves()
    {
        var affinity = new FakeAffinity();
        affinity.SetThreadCpus(CpuSet.Range(0, 1));
        using var scheduler = Start(affinity);

        foreach (var node in _plan.Nodes)
        {
            var task = scheduler.RunOnNode(node.NodeIndex, () => affinity.Pinned[Environment.CurrentManagedThreadId]);
            task.WaitFor();
            Assert.Equal(node.Cpus, task.Result);
        }
    }

    [Fact]
    public void Workers_PlanDisabled_AreNotPinned()
    {
        var plan = NumaPlan.Create(TestMachine.Row(2, 2), new NumaPlanRequest { Enabled = false });
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan, Affinity = _provider });

        scheduler.RunOnNode(0, () => { }).WaitFor();
        scheduler.Dispose();

        _provider.DidNotReceiveWithAnyArgs().SetThreadCpus(null!);
    }

    [Fact]
    public void Workers_PinningRefused_RunAnywhereAndItIsSaidOncePerNode()
    {
        _provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(new NumaResult(NumaFailure.NotPermitted, 1, "EPERM"));
        using var scheduler = Start(_provider);

        AssertWorksWithFallbacks(scheduler, "EPERM");
    }

    [Fact]
    public void Workers_ProviderThrows_RunAnywhereAndItIsSaidOncePerNode()
    {
        _provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(static _ => throw new InvalidTimeZoneException("broken plugin"));
        using var scheduler = Start(_provider);

        AssertWorksWithFallbacks(scheduler, "broken plugin");
    }

    private void AssertWorksWithFallbacks(NumaTaskScheduler scheduler, string reason)
    {
        scheduler.RunOnNode(0, () => { }).WaitFor();
        scheduler.RunOnNode(1, () => { }).WaitFor();
        scheduler.Dispose();
        Assert.Equal(2, _fallbacks.Count);
        Assert.Equal(
            [("affinity.pin", 0), ("affinity.pin", 1)],
            _fallbacks.Current.Select(static fallback => (fallback.Feature, fallback.NodeId!.Value)).Order());
        Assert.All(_fallbacks.Current, fallback => Assert.Contains(reason, fallback.Message, StringComparison.Ordinal));
    }

    private NumaTaskScheduler Start(INumaAffinityProvider provider) =>
        new(new NumaTaskSchedulerOptions
        {
            Plan = _plan,
            Affinity = provider,
            Fallbacks = _fallbacks,
            Policy = NumaSchedulingPolicy.NodeStrict,
        });
}
