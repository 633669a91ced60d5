using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class PinningTests : IDisposable
{
    private readonly NumaPlan _plan = TestMachine.Plan(2, 3);
    private readonly SimulatedMachine _machine = new(TestMachines.Row(2, 3));
    private readonly NumaFallbacks _fallbacks = new();

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Workers_PlanEnabled_ArePinnedToTheCpusOfTheirNode()
    {
        // A thread whose node is unknown stays where it is.
        _machine.Inject(new SimulatedFault(SimulatedOperation.GetCurrent, SimulatedError.ENOSYS));

        Start(_machine.Platform.Affinity).Dispose();

        var pinned = Pinned();
        Assert.Equal(2, pinned.Count(static call => call.Cpus == "0-1"));
        Assert.Equal(3, pinned.Count(static call => call.Cpus == "2-4"));
    }

    [Fact]
    public void Workers_SleepingOnOneCpu_MoveApartAndMayRunOnAllAgain()
    {
        // A thread simulates to run on the first of its CPUs: both of node 0 are on CPU 0.
        using var scheduler = Start(_machine.Platform.Affinity);

        Wait.Until(() =>
        {
            // Both workers run, and both go to sleep again.
            using var both = new Barrier(2);
            Task.WhenAll(Enumerable.Range(0, 2).Select(_ => scheduler.RunOnNode(0, both.SignalAndWait))).WaitFor();
            return Pinned().Any(static call => call.Cpus == "1");
        });
        var thread = Pinned().First(static call => call.Cpus == "1").Thread;
        Wait.Until(() => Pinned().Last(call => call.Thread == thread).Cpus == "0-1");
    }

    [Fact]
    public void Workers_StartedFromAPinnedThread_PinThemselves()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.GetCurrent, SimulatedError.ENOSYS));
        var affinity = _machine.Platform.Affinity;
        affinity.SetThreadCpus(CpuSet.Range(0, 1)).ThrowIfFailed("sched_setaffinity");
        using var scheduler = Start(affinity);

        foreach (var node in _plan.Nodes)
        {
            var task = scheduler.RunOnNode(node.NodeIndex, () =>
            {
                affinity.GetThreadCpus(out var cpus).ThrowIfFailed("sched_getaffinity");
                return cpus;
            });
            task.WaitFor();
            Assert.Equal(node.Cpus, task.Result);
        }
    }

    [Fact]
    public void Workers_PlanDisabled_AreNotPinned()
    {
        var plan = NumaPlan.Create(TestMachines.Row(2, 2).Read(), new NumaPlanRequest { Enabled = false });
        var options = new NumaTaskSchedulerOptions { Plan = plan, Affinity = _machine.Platform.Affinity };
        using var scheduler = new NumaTaskScheduler(options);

        scheduler.RunOnNode(0, () => { }).WaitFor();
        scheduler.Dispose();

        Assert.Equal(0, _machine.GetCallCount(SimulatedOperation.SetThreadCpus));
    }

    [Fact]
    public void Workers_PinningRefused_RunAnywhereAndItIsReportedOncePerNode()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM));
        using var scheduler = Start(_machine.Platform.Affinity);

        AssertWorksWithFallbacks(scheduler, "EPERM");
    }

    [Fact]
    public void Workers_ProviderThrows_RunAnywhereAndItIsReportedOncePerNode()
    {
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(static _ => throw new InvalidTimeZoneException("broken plugin"));
        using var scheduler = Start(provider);

        AssertWorksWithFallbacks(scheduler, "broken plugin");
    }

    private (int Thread, string Cpus)[] Pinned() =>
    [
        .. _machine.Calls.Where(static call => call.Operation == SimulatedOperation.SetThreadCpus)
            .Select(static call => (call.ThreadId, call.Cpus.ToString())),
    ];

    private void AssertWorksWithFallbacks(NumaTaskScheduler scheduler, string reason)
    {
        scheduler.RunOnNode(0, () => { }).WaitFor();
        scheduler.RunOnNode(1, () => { }).WaitFor();
        scheduler.Dispose();
        Assert.Equal(2, _fallbacks.ReportCount);
        Assert.Equal(
            [("affinity.pin", 0), ("affinity.pin", 1)],
            _fallbacks.Current.Select(static fallback => (fallback.Feature, fallback.NodeId!.Value.Value)).Order());
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
