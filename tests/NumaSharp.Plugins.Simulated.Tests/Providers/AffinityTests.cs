using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Affinity;

public sealed class AffinityTests
{
    [Fact]
    public void GetThreadCpus_NotPinned_AreAll()
    {
        using var machine = Machines.Create(8, 8, 8);
        machine.Platform.Affinity.GetThreadCpus(out var cpus).ThrowIfFailed("get");
        Assert.Equal("0-2", cpus.ToString());
    }

    [Fact]
    public void SetThreadCpus_IsOfTheThreadAlone() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(8, 8, 8);
        var affinity = machine.Platform.Affinity;
        affinity.SetThreadCpus(CpuSet.ParseList("1-2")).ThrowIfFailed("pin");
        affinity.GetCurrent(out var cpu, out var node).ThrowIfFailed("current");
        Assert.Equal((1, 1), (cpu, node.Value));
        TestThreads.Run(() =>
        {
            affinity.GetThreadCpus(out var others).ThrowIfFailed("get");
            Assert.Equal(3, others.Count);
        });
    });

    [Fact]
    public void SetThreadCpus_NothingThatIsAllowed_IsInvalidAndChangesNothing() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(8, 8);
        var affinity = machine.Platform.Affinity;
        affinity.SetThreadCpus(CpuSet.FromIds(1)).ThrowIfFailed("pin");
        Assert.Equal(NumaFailure.InvalidArgument, affinity.SetThreadCpus(CpuSet.FromIds(7)).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, affinity.SetThreadCpus(CpuSet.Empty).Failure);
        Assert.True(affinity.SetThreadCpus(CpuSet.FromIds(1, 7)).Succeeded);
        affinity.GetThreadCpus(out var cpus).ThrowIfFailed("get");
        Assert.Equal("1", cpus.ToString());
    });

    [Fact]
    public void GetCurrent_CpusUnplugged_MovesAsTheKernelDoes() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(8, 8, 8);
        var affinity = machine.Platform.Affinity;
        affinity.SetThreadCpus(CpuSet.ParseList("1-2")).ThrowIfFailed("pin");
        machine.Change(static options => options.OfflineCpus = CpuSet.FromIds(1));
        affinity.GetCurrent(out var cpu, out var node).ThrowIfFailed("current");
        Assert.Equal((2, 2), (cpu, node.Value));
        machine.Change(static options => options.OfflineCpus = CpuSet.ParseList("1-2"));
        affinity.GetCurrent(out cpu, out node).ThrowIfFailed("current");
        Assert.Equal((0, 0), (cpu, node.Value));
    });

    [Fact]
    public void ThreadAffinity_OnASimulatedMachine_PinsAndRestores() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(8, 8);
        var fallbacks = new NumaFallbacks();
        using (var pin = ThreadAffinity.Pin(machine.Platform.Affinity, CpuSet.FromIds(1), fallbacks))
        {
            Assert.True(pin.IsPinned);
        }

        machine.Platform.Affinity.GetThreadCpus(out var cpus).ThrowIfFailed("get");
        Assert.Equal("0-1", cpus.ToString());
        Assert.Empty(fallbacks.Current);
    });
}
