using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Memory;

public sealed class LifetimeTests
{
    [Fact]
    public void Memory_Committed_IsRealAndZero()
    {
        using var machine = Machines.Create(8);
        using var memory = new Support.Memory(machine, 2);
        memory.Commit().ThrowIfFailed("commit");
        var span = memory.AsSpan(0, 2);
        Assert.Equal(-1, span.IndexOfAnyExcept((byte)0));
        span.Fill(7);
        Assert.Equal(7, span[^1]);
    }

    [Fact]
    public void Release_GivesTheNodesMemoryBack()
    {
        using var machine = Machines.Create(2);
        using (var memory = new Support.Memory(machine, 2))
        {
            memory.Commit().ThrowIfFailed("commit");
            Assert.Equal(0, machine.Platform.Topology.Read().Nodes[0].MemoryFreeBytes);
            Assert.Equal((long)memory.Size, machine.ReservedBytes);
        }

        Assert.Equal(0, machine.ReservedBytes);
        Assert.Equal(0, machine.GetUsedBytes(new(0)));
        Assert.Equal(
            machine.Platform.Topology.Read().Nodes[0].MemoryBytes, machine.Platform.Topology.Read().Nodes[0].MemoryFreeBytes);
    }

    [Fact]
    public void Discard_GivesPagesBackUntilTheyAreCommittedAgain()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Memory that is not Linux's cannot be discarded.");
        using var machine = Machines.Create(8, 8);
        using var memory = new Support.Memory(machine, 3);
        memory.Commit().ThrowIfFailed("commit");
        memory.Discard(1, 1).ThrowIfFailed("discard");
        Assert.Equal([0, -1, 0], memory.Nodes(0, 3));
        memory.Bind(NumaPlacement.Bind(new(1))).ThrowIfFailed("bind");
        memory.Commit().ThrowIfFailed("commit");
        Assert.Equal([0, 1, 0], memory.Nodes(0, 3));
    }

    [Fact]
    public void Calls_ThatBreakTheContract_AreInvalid()
    {
        using var machine = Machines.Create(8);
        using var memory = new Support.Memory(machine, 2);
        var provider = machine.Platform.Memory;
        Assert.All(
            [
                provider.Commit(memory.Address + 1, provider.PageSize),
                provider.Commit(memory.Address, provider.PageSize + 1),
                provider.Commit(memory.Address, memory.Size + provider.PageSize),
                provider.Commit(memory.Address - (nint)provider.PageSize, provider.PageSize),
                provider.Release(memory.Address, provider.PageSize),
                provider.QueryNode(memory.Address - 1, out _),
                provider.Advise(memory.Address, memory.Size * 2, NumaMemoryAdvice.Discard),
            ],
            static result => Assert.Equal(NumaFailure.InvalidArgument, result.Failure));
    }

    [Fact]
    public void Statistics_CountAsTheKernelDoes() => TestThreads.Run(static () =>
    {
        using var machine = Machines.Create(1, 8);
        machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(1)).ThrowIfFailed("pin");
        using var memory = new Support.Memory(machine, 3);
        memory.Bind(NumaPlacement.Prefer(new(0))).ThrowIfFailed("bind");
        memory.Commit().ThrowIfFailed("commit");
        var page = (long)machine.Platform.Memory.PageSize;
        var topology = machine.Platform.Topology;
        Assert.Equal(
            new NumaNodeStatistics { MemoryBytes = page, Hit = 1, Foreign = 2, Other = 1 }, topology.ReadStatistics(new(0)));
        Assert.Equal(
            new NumaNodeStatistics { MemoryBytes = 8 * page, MemoryFreeBytes = 6 * page, Miss = 2, Local = 2 },
            topology.ReadStatistics(new(1)));
        Assert.Null(topology.ReadStatistics(new(2)));
    });

    [Fact]
    public async Task Memory_ManyThreads_AddsUp()
    {
        using var machine = Machines.Create(10_000, 10_000);
        await Parallel.ForEachAsync(
            Enumerable.Range(0, 64),
            TestContext.Current.CancellationToken,
            (index, _) =>
            {
                using var memory = new Support.Memory(machine, 1 + (index % 7));
                memory.Bind(NumaPlacement.Bind(new(index % 2))).ThrowIfFailed("bind");
                memory.Commit().ThrowIfFailed("commit");
                Assert.All(memory.Nodes(0, 1 + (index % 7)), node => Assert.Equal(index % 2, node));
                return ValueTask.CompletedTask;
            });
        Assert.Equal((0, 0), (machine.GetUsedBytes(new(0)), machine.GetUsedBytes(new(1))));
        Assert.Equal(64, machine.GetCallCount(SimulatedOperation.Release));
    }
}
