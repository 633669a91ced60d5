using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Memory;

public sealed class PlacementTests
{
    [Fact]
    public void Commit_Bound_TakesThatNodesPages()
    {
        using var machine = Machines.Create(8, 8);
        using var memory = new Support.Memory(machine, 4);
        Assert.True(memory.Bind(NumaPlacement.Bind(new(1))).Succeeded);
        Assert.Equal([-1, -1, -1, -1], memory.Nodes(0, 4));
        Assert.True(memory.Commit().Succeeded);
        Assert.Equal([1, 1, 1, 1], memory.Nodes(0, 4));
    }

    [Fact]
    public void Commit_BoundBeyondTheNode_IsOutOfMemoryAndTakesNothing()
    {
        using var machine = Machines.Create(8, 2);
        using var memory = new Support.Memory(machine, 3);
        memory.Bind(NumaPlacement.Bind(new(1))).ThrowIfFailed("bind");
        Assert.Equal(NumaFailure.OutOfMemory, memory.Commit().Failure);
        Assert.Equal(0, machine.GetUsedBytes(new(1)));
        Assert.Equal([-1, -1, -1], memory.Nodes(0, 3));
        Assert.True(memory.Commit(0, 2).Succeeded);
    }

    [Fact]
    public void Commit_PreferredBeyondTheNode_SpillsToTheNearest()
    {
        using var machine = Machines.Create(1, 8, 2, 8);
        using var memory = new Support.Memory(machine, 4);
        memory.Bind(NumaPlacement.Prefer(new(0))).ThrowIfFailed("bind");
        Assert.True(memory.Commit().Succeeded);
        Assert.Equal([0, 1, 1, 1], memory.Nodes(0, 4));
    }

    [Fact]
    public void Commit_Interleaved_GoesRoundTheNodes()
    {
        using var machine = Machines.Create(8, 8, 8);
        using var memory = new Support.Memory(machine, 6);
        memory.Bind(new NumaPlacement(NumaPlacementKind.Interleaved, CpuSet.FromIds(0, 2))).ThrowIfFailed("bind");
        Assert.True(memory.Commit().Succeeded);
        Assert.Equal([0, 2, 0, 2, 0, 2], memory.Nodes(0, 6));
        Assert.Equal(3, machine.Platform.Topology.ReadStatistics(new(2))!.InterleaveHit);
    }

    [Fact]
    public void Commit_Unbound_TakesTheNodeOfTheThreadThatCommits() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(8, 8, 8);
        using var memory = new Support.Memory(machine, 2);
        memory.Commit(0, 1).ThrowIfFailed("commit");
        machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(2)).ThrowIfFailed("pin");
        memory.Commit(1, 1).ThrowIfFailed("commit");
        Assert.Equal([0, 2], memory.Nodes(0, 2));
    });

    [Fact]
    public void Commit_Again_LeavesPagesWhereTheyAre()
    {
        using var machine = Machines.Create(8, 8);
        using var memory = new Support.Memory(machine, 2);
        memory.Commit(0, 1).ThrowIfFailed("commit");
        memory.Bind(NumaPlacement.Bind(new(1))).ThrowIfFailed("bind");
        memory.Commit().ThrowIfFailed("commit");
        Assert.Equal([0, 1], memory.Nodes(0, 2));
        Assert.Equal(Machines.Page, machine.GetUsedBytes(new(0)));
    }

    [Fact]
    public void Bind_PartsOfAReservation_KeepTheirOwnPlacements()
    {
        using var machine = Machines.Create(16, 16, 16);
        using var memory = new Support.Memory(machine, 8);
        memory.Bind(NumaPlacement.Bind(new(0))).ThrowIfFailed("bind");
        memory.Bind(NumaPlacement.Bind(new(1)), 2, 4).ThrowIfFailed("bind");
        memory.Bind(NumaPlacement.Bind(new(2)), 3, 1).ThrowIfFailed("bind");
        memory.Bind(NumaPlacement.Bind(new(2)), 5, 2).ThrowIfFailed("bind");
        memory.Commit().ThrowIfFailed("commit");
        Assert.Equal([0, 0, 1, 2, 1, 2, 2, 0], memory.Nodes(0, 8));
    }

    [Fact]
    public void Bind_NodeWithoutUsableMemory_IsInvalid()
    {
        var options = Machines.Small(8, 0, 8);
        options.AllowedNodes = CpuSet.FromIds(0);
        using var machine = new SimulatedMachine(options);
        using var memory = new Support.Memory(machine, 1);
        Assert.All([1, 2, 9], node =>
            Assert.Equal(NumaFailure.InvalidArgument, memory.Bind(NumaPlacement.Bind(new(node))).Failure));
        Assert.Equal(NumaFailure.InvalidArgument, memory.Bind(new NumaPlacement(NumaPlacementKind.Bound, CpuSet.Empty)).Failure);
        Assert.True(memory.Bind(NumaPlacement.Bind(new(0))).Succeeded);
    }

    [Fact]
    public void Commit_DeviceMemory_OnlyWhereItIsNamed()
    {
        var options = Machines.Small(1, 8);
        (options.Nodes[1].IsDevice, options.Nodes[1].Cpus) = (true, CpuSet.Empty);
        using var machine = new SimulatedMachine(options);
        using var memory = new Support.Memory(machine, 2);
        Assert.Equal(NumaFailure.OutOfMemory, memory.Commit().Failure);
        memory.Bind(NumaPlacement.Bind(new(1))).ThrowIfFailed("bind");
        Assert.True(memory.Commit().Succeeded);
        Assert.Equal([1, 1], memory.Nodes(0, 2));
    }
}
