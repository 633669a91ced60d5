using System.Collections.Concurrent;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class PinningTests
{
    private readonly NumaPlan _plan = TestMachine.Plan(2, 3);
    private readonly INumaAffinityProvider _provider = Substitute.For<INumaAffinityProvider>();
    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void Workers_PlanEnabled_ArePinnedToTheCpusOfTheirNode()
    {
        _provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(NumaResult.Success);
        _provider.GetCurrent(out _, out _).Returns(new NumaResult(NumaFailure.NotSupported, 38, "ENOSYS"));

        Start(_provider).Dispose();

        _provider.Received(2).SetThreadCpus(CpuSet.Range(0, 2));
        _provider.Received(3).SetThreadCpus(CpuSet.Range(2, 3));
    }

    [Fact]
    public void Workers_SleepingOnOneCpu_MoveApartAndMayRunOnAllAgain()
    {
        var moved = new ConcurrentQueue<(int Thread, string Cpus)>();
        _provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(call =>
        {
            moved.Enqueue((Environment.CurrentManagedThreadId, call.Arg<CpuSet>().ToString()));
            return NumaResult.Success;
        });

        // All are on CPU 0, whatever they ask for.
        _provider.GetCurrent(out _, out _).Returns(NumaResult.Success);
        using var scheduler = Start(_provider);

        Wait.Until(() =>
        {
            // Both workers run, and both go to sleep again.
            using var both = new Barrier(2);
            Task.WhenAll(Enumerable.Range(0, 2).Select(_ => scheduler.RunOnNode(0, both.SignalAndWait))).WaitFor();
            return moved.Any(static each => each.Cpus == "1");
        });
        var thread = moved.First(static each => each.Cpus == "1").Thread;
        Wait.Until(() => moved.Last(each => each.Thread == thread).Cpus == "0-1");
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
        var plan = NumaPlan.Create(TestMachines.Row(2, 2).Read(), new NumaPlanRequest { Enabled = false });
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
            DrainTimeout = Wait.Limit,
        });
}
