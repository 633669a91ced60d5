using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Recording;

public sealed class FaultTests
{
    [Theory]
    [InlineData(SimulatedError.EPERM, NumaFailure.NotPermitted)]
    [InlineData(SimulatedError.ENOMEM, NumaFailure.OutOfMemory)]
    [InlineData(SimulatedError.EINVAL, NumaFailure.InvalidArgument)]
    [InlineData(SimulatedError.ENOSYS, NumaFailure.NotSupported)]
    [InlineData(SimulatedError.EIO, NumaFailure.Other)]
    public void Inject_AnError_LooksLikeTheSystems(SimulatedError error, NumaFailure failure)
    {
        using var machine = Machines.Create(8);
        using var memory = new Support.Memory(machine, 1);
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, error));
        var result = memory.Bind(NumaPlacement.Bind(new(0)));
        Assert.Equal((failure, error.ToString()), (result.Failure, result.ErrorName));
        Assert.True(memory.Commit().Succeeded);
        machine.ClearFaults();
        Assert.True(memory.Bind(NumaPlacement.Bind(new(0))).Succeeded);
    }

    [Fact]
    public void Inject_AfterAndTimes_FailsThoseCallsOnly()
    {
        using var machine = Machines.Create(8);
        using var memory = new Support.Memory(machine, 1);
        machine.Inject(new SimulatedFault(SimulatedOperation.Commit, SimulatedError.ENOMEM) { After = 2, Times = 2 });
        Assert.Equal([true, true, false, false, true, true], Enumerable.Range(0, 6).Select(_ => memory.Commit().Succeeded));
    }

    [Fact]
    public void Inject_ForANode_LeavesOthersAlone()
    {
        using var machine = Machines.Create(8, 8);
        using var memory = new Support.Memory(machine, 2);
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM) { NodeId = new(1) });
        machine.Inject(new SimulatedFault(SimulatedOperation.Commit, SimulatedError.ENOMEM) { NodeId = new(0) });
        machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM) { NodeId = new(1) });
        Assert.True(memory.Bind(NumaPlacement.Bind(new(0))).Succeeded);
        Assert.False(memory.Bind(NumaPlacement.Bind(new(1))).Succeeded);
        Assert.False(memory.Commit().Succeeded);
        TestThreads.Run(() =>
        {
            Assert.True(machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(0)).Succeeded);
            Assert.False(machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(1)).Succeeded);
        });
    }

    [Fact]
    public void Inject_EveryOperation_Fails()
    {
        var options = Machines.Small(8);
        foreach (var operation in Enum.GetValues<SimulatedOperation>())
        {
            options.Faults.Add(new SimulatedFault(operation, SimulatedError.EIO));
        }

        using var machine = new SimulatedMachine(options);
        var (topology, memory, affinity) = (machine.Platform.Topology, machine.Platform.Memory, machine.Platform.Affinity);
        Assert.Equal("EIO", Assert.Throws<NumaException>(() => topology.Read()).Result?.ErrorName);
        Assert.Null(topology.ReadStatistics(new(0)));
        Assert.Equal("EIO", memory.Reserve(memory.PageSize, memory.PageSize, out _).ErrorName);
        Assert.Equal("EIO", affinity.GetThreadCpus(out _).ErrorName);
        Assert.Equal("EIO", affinity.SetThreadCpus(CpuSet.FromIds(0)).ErrorName);
        Assert.Equal("EIO", affinity.GetCurrent(out _, out _).ErrorName);
        machine.ClearFaults();
        using var reserved = new Support.Memory(machine, 1);
        foreach (var fault in options.Faults.Where(static fault => fault.Operation != SimulatedOperation.Release))
        {
            machine.Inject(fault);
        }

        Assert.Equal("EIO", reserved.Commit().ErrorName);
        Assert.Equal("EIO", reserved.Bind(NumaPlacement.Bind(new(0))).ErrorName);
        Assert.Equal("EIO", reserved.Discard(0, 1).ErrorName);
        Assert.Equal("EIO", memory.QueryNode(reserved.Address, out _).ErrorName);
        machine.Inject(new SimulatedFault(SimulatedOperation.Release, SimulatedError.EIO) { Times = 1 });
        Assert.Equal("EIO", memory.Release(reserved.Address, reserved.Size).ErrorName);
    }
}
