using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Core.Memory;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Free memory of a pool whose pages come from another node from now on.</summary>
public sealed class PoolRenewalTests : IDisposable
{
    private const int Page = 4096;

    private readonly SimulatedMachine _machine = new(TestMachines.Row(4, 4));
    private readonly NumaFallbacks _fallbacks = new();
    private readonly ManualTime _time = new();
    private readonly NumaPlan _plan;

    public PoolRenewalTests() => _plan = NumaPlan.Create(_machine.Platform.Topology.Read());

    private NumaPlan WithoutNode1 => _plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan;

    private long Used => _machine.GetUsedBytes(new(0)) + _machine.GetUsedBytes(new(1));

    public void Dispose() => _machine.Dispose();

    [Theory]
    [InlineData(64, 40_000)]
    [InlineData(4096, 1200)]
    [InlineData(300_000, 20)]
    [InlineData(1 << 20, 9)]
    public void Apply_BlocksAreFree_AreOfTheNewNode(int size, int count)
    {
        using var pools = Create(blockSize: Math.Min(size, 4096));
        RentAndReturn(pools[1], size, count);
        using var other = new ParkedThread(() => RentAndReturn(pools[1], size, 5));
        Assert.True(_machine.GetUsedBytes(new(1)) >= (long)count * size);

        pools.Apply(WithoutNode1);
        Assert.Equal((0L, pools[1].CommittedBytes), (_machine.GetUsedBytes(new(1)), _machine.GetUsedBytes(new(0))));
        Assert.Equal(0L, pools[1].RentedBlocks);
        Assert.Equal(0, _time.TimerCount);
        var commits = _machine.GetCallCount(SimulatedOperation.Commit);
        var blocks = Rent(pools[1], size, count);
        Assert.All(blocks, block => Assert.Equal([0], NodesOf(block)));
        Assert.Equal(commits, _machine.GetCallCount(SimulatedOperation.Commit));
        blocks.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Apply_BlocksInUse_StayUntilTheyAreFreeAndThenFollow()
    {
        using var pools = Create();
        var blocks = Rent(pools[1], -1, 1200);
        NumaMemoryBlock[] kept = [blocks[0], blocks[300], blocks[301], blocks[777]];
        Array.ForEach(kept, static block => block.GetSpan().Fill(0xA5));
        blocks.Except(kept).ToList().ForEach(static block => block.Dispose());
        pools.Apply(WithoutNode1);

        // Four blocks, and what their pages have of others.
        Assert.InRange(_machine.GetUsedBytes(new(1)), 4 * Page, 8 * Page);
        Assert.All(kept, static block => Assert.Equal(-1, block.GetSpan().IndexOfAnyExcept((byte)0xA5)));
        Assert.All(kept, block => Assert.Equal([1], NodesOf(block)));
        Assert.Equal((4L, Used), (pools[1].RentedBlocks, pools[1].CommittedBytes));

        // In this thread's cache, which hands it out again and again.
        Array.ForEach(kept, static block => block.Dispose());
        _time.Tick();
        Assert.Equal((0L, pools[1].CommittedBytes), (_machine.GetUsedBytes(new(1)), Used));
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Interval);
    }

    [Fact]
    public void Tick_BlocksStayInUse_IsLessAndLessOften()
    {
        using var pools = Create();
        using var kept = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        Assert.Equal(TimeSpan.FromSeconds(1), _time.Interval);
        _time.TickEach(3);
        Assert.Equal(TimeSpan.FromSeconds(8), _time.Interval);
        _time.TickEach(10);
        Assert.Equal(TimeSpan.FromSeconds(64), _time.Interval);
        pools.Dispose();
        Assert.Equal(0, _time.TimerCount);
    }

    [Fact]
    public void Apply_ThereAndBackBeforeTheyAreFree_BlocksAreOfTheNodeOfNow()
    {
        using var pools = Create();
        var kept = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        pools.Apply(_plan);
        kept.Dispose();
        _time.Tick();
        Assert.Equal((0L, pools[1].CommittedBytes), (_machine.GetUsedBytes(new(0)), _machine.GetUsedBytes(new(1))));
    }

    [Fact]
    public void Apply_PagesCannotBeGivenUp_FreeSlabsAreReleased()
    {
        using var pools = Create();
        RentAndReturn(pools[1], -1, 1200);
        _machine.Inject(new SimulatedFault(SimulatedOperation.Advise, SimulatedError.EINVAL));
        pools.Apply(WithoutNode1);
        Assert.Equal((0L, 0L), (_machine.GetUsedBytes(new(1)), pools[1].CommittedBytes));
    }

    [Fact]
    public void Apply_MbindIsRefused_FreeBlocksAreTouchedOnTheNewNode()
    {
        using var machine = new SimulatedMachine(TestMachines.Row(4, 4, 4));
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var plan = NumaPlan.Create(machine.Platform.Topology.Read());
        using var pools = Create(machine: machine, plan: plan);
        RentAndReturn(pools[1], -1, 1200);
        Assert.Equal(pools[1].CommittedBytes, machine.GetUsedBytes(new(1)));
        pools.Apply(plan.Adapt(TestMachines.ReadAllowed("0-11", "0,2")).Plan);
        Assert.Equal(
            (0L, pools[1].CommittedBytes), (machine.GetUsedBytes(new(1)), machine.GetUsedBytes(pools[1].MemoryNodeId)));
    }

    [Theory]
    [InlineData(4096, 1200)]
    [InlineData(1 << 20, 9)]
    public void Apply_TouchingThemFails_BlocksAreRentedAllTheSame(int size, int count)
    {
        using var machine = new SimulatedMachine(TestMachines.Row(4, 4, 4));
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var plan = NumaPlan.Create(machine.Platform.Topology.Read());
        using var pools = Create(machine: machine, plan: plan);
        RentAndReturn(pools[1], size, count);
        var committed = pools[1].CommittedBytes;
        machine.Inject(new SimulatedFault(SimulatedOperation.Commit, SimulatedError.ENOMEM));
        pools.Apply(plan.Adapt(TestMachines.ReadAllowed("0-11", "0,2")).Plan);

        var again = Rent(pools[1], size, count);
        again.ForEach(static block => block.GetSpan().Fill(1));
        Assert.Equal((committed, (long)count), (pools[1].CommittedBytes, pools[1].RentedBlocks));
        again.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Apply_WithChecks_FindsNothingWrong()
    {
        using var pools = Create(checks: NumaMemoryCheckMode.Full);
        RentAndReturn(pools[1], -1, 600);
        using var kept = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        RentAndReturn(pools[1], -1, 600);
        pools[1].Trim();
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Apply_RenterFindsNothingFreeMeanwhile_WaitsForItInsteadOfFailing()
    {
        var memory = new FaultyMemoryProvider();
        using var pools = Create(limit: 128 * 1024, memory: memory);
        RentAndReturn(pools[1], -1, 30);
        Thread? renter = null;
        memory.OnAdvise = () =>
        {
            if (renter is null)
            {
                renter = TestThreads.Start(() => pools[1].RentBlock().Dispose());
                Wait.UntilBlocked(renter);
            }

            return NumaResult.Success;
        };
        pools.Apply(WithoutNode1);
        Wait.For(renter!);
        Assert.Equal(0L, pools[1].RentedBlocks);
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(1_600_000)]
    public void Apply_RentOfAnotherSizeIsAtTheLimitMeanwhile_GetsTheSlabInsteadOfFailing(int size)
    {
        var memory = new FaultyMemoryProvider();
        using var pools = Create(limit: 2_600_000, memory: memory);
        RentAndReturn(pools[1], -1, 480);
        Thread? renter = null;
        var outcome = default(Exception);
        memory.OnAdvise = () =>
        {
            if (renter is null)
            {
                renter = TestThreads.Start(() => outcome = Record.Exception(() => pools[1].RentBlock(size).Dispose()));

                // Without waiting it fails here.
                Wait.UntilBlocked(renter, () => $"{outcome}");
            }

            return NumaResult.Success;
        };
        pools.Apply(WithoutNode1);
        Wait.For(renter!);
        Assert.Null(outcome);
        Assert.Equal(0L, pools[1].RentedBlocks);
    }

    [Fact]
    public void Dispose_WhileBlocksAreOutOfCirculation_GivesEverythingBack()
    {
        var memory = new FaultyMemoryProvider();
        var pools = Create(memory: memory);
        RentAndReturn(pools[1], -1, 600);
        var kept = pools[1].RentBlock();
        memory.OnAdvise = () =>
        {
            Wait.For(TestThreads.Start(pools.Dispose));
            return NumaResult.Success;
        };
        pools.Apply(WithoutNode1);
        kept.GetSpan().Fill(1);
        Assert.NotEqual(0, memory.ReservationCount);
        kept.Dispose();
        Assert.Equal((0, 0L), (memory.ReservationCount, pools[1].CommittedBytes));
    }

    [Fact]
    public void Dispose_WhileABlockThatCameBackTwiceIsOutOfCirculation_ItCountsOnce()
    {
        var memory = new FaultyMemoryProvider();
        var pools = Create(memory: memory);
        var (twice, kept) = (pools[1].RentBlock(), pools[1].RentBlock());
        twice.Dispose();

        // The second thread, which was past the block's own check.
        pools[1].Return(twice);
        memory.OnAdvise = () =>
        {
            Wait.For(TestThreads.Start(pools.Dispose));
            return NumaResult.Success;
        };
        pools.Apply(WithoutNode1);

        Assert.Equal(1, memory.ReservationCount);
        kept.GetSpan().Fill(1);
        kept.Dispose();
        Assert.Equal((0, 0L), (memory.ReservationCount, pools[1].CommittedBytes));
    }

    [Fact]
    public void Dispose_WhileBlocksAreOutOfCirculation_TheseDoNotCountAsAbandoned()
    {
        var memory = new FaultyMemoryProvider();
        var pools = Create(memory: memory);
        var pool = pools[1];
        var kept = pool.RentBlock();
        Forget(pool);
        RentAndReturn(pool, -1, 400);
        memory.OnAdvise = () =>
        {
            Wait.For(TestThreads.Start(pools.Dispose));
            return NumaResult.Success;
        };
        pools.Apply(WithoutNode1);
        Wait.UntilCollected(() => pool.AbandonedBlocks > 0);

        // Reading this waits for the end of the check.
        Assert.NotEqual(0, pool.RentedBlocks);
        Assert.Equal(1, pool.AbandonedBlocks);
        Assert.NotEqual(0, memory.ReservationCount);
        kept.GetSpan().Fill(1);
        kept.Dispose();
        Assert.Equal((0, 0L), (memory.ReservationCount, pool.CommittedBytes));
    }

    [Fact]
    public void Apply_SystemBindsSlowly_OthersRentAndReturnMeanwhile()
    {
        using var binding = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var pools = Create(memory: memory);
        using var gate = new Gate();

        // More than a thread keeps: these go through the pool's lock.
        var blocks = Rent(pools[1], -1, 200);
        memory.OnBind = () => Hold(binding, gate);
        var one = TestThreads.Start(() => pools.Apply(WithoutNode1));
        Wait.For(binding);
        TestThreads.Run(() =>
        {
            blocks.ForEach(static block => block.Dispose());
            RentAndReturn(pools[1], -1, 150);
        });
        gate.Open();
        Wait.For(one);
        Assert.Equal(0L, pools[1].RentedBlocks);
    }

    [Fact]
    public void Dispose_WhileASlabIsBound_TheSlabStaysMappedUntilThen()
    {
        using var binding = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        var pools = Create(memory: memory);
        using var gate = new Gate();
        RentAndReturn(pools[1], -1, 1200);
        var slabs = memory.ReservationCount;
        memory.OnBind = () => Hold(binding, gate);
        var one = TestThreads.Start(() => pools.Apply(WithoutNode1));
        Wait.For(binding);
        var other = TestThreads.Start(pools.Dispose);
        Wait.UntilBlocked(other);
        Assert.Equal(slabs, memory.ReservationCount);
        gate.Open();
        Wait.For(one);
        Wait.For(other);
        Assert.Equal((0, 0L), (memory.ReservationCount, pools[1].CommittedBytes));
    }

    [Fact]
    public void Return_InterruptedWhileItWaitsForTheLock_BlocksAreBack()
    {
        using var pools = Create();
        var blocks = Rent(pools[1], -1, 200);

        // A trim holds the lock until this thread has left its cache.
        var cache = PoolThreadCache.Last!;
        Volatile.Write(ref cache.Busy, true);
        var one = TestThreads.Start(() => pools[1].Trim());
        var outcome = default(Exception);
        var other = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => blocks.ForEach(static block => block.Dispose()));
        });
        other.IsBackground = true;
        try
        {
            Wait.Until(() => Volatile.Read(ref cache.Open) is null);
            other.Start();
            Wait.UntilBlocked(other, () => $"{outcome}");
        }
        finally
        {
            Volatile.Write(ref cache.Busy, false);
        }

        Wait.For(one);
        Wait.For(other);
        Assert.Null(outcome);
        Assert.Equal(0L, pools[1].RentedBlocks);
    }

    [Fact]
    public void Apply_InterruptedWhileThePoolGrows_AllSlabsFollow()
    {
        using var growing = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var pools = Create(memory: memory);
        using var gate = new Gate();
        RentAndReturn(pools[1], -1, 1200);
        memory.OnCommit = () => Hold(growing, gate);
        var one = TestThreads.Start(() => pools[1].RentBlock(100_000).Dispose());
        Wait.For(growing);
        var bound = memory.Placements.Count;
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => pools.Apply(WithoutNode1));
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        // Three slabs, and that of the other size.
        Assert.Null(outcome);
        Assert.InRange(memory.Placements.Count - bound, 4, 8);
    }

    [Fact]
    public void Apply_InterruptedWhileATimerRenewsMemory_ThePoolFollows()
    {
        using var renewing = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var pools = Create(memory: memory);
        using var gate = new Gate();
        var kept = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        kept.Dispose();
        memory.OnAdvising = (_, _, _) => Hold(renewing, gate);
        var one = TestThreads.Start(() => _time.Tick());
        Wait.For(renewing);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => pools.Apply(_plan));
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        Assert.Equal(1, pools[1].MemoryNodeId.Value);
    }

    private static NumaResult Hold(ManualResetEventSlim reached, Gate gate)
    {
        reached.Set();
        gate.Pass();
        return NumaResult.Success;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(NumaMemoryPool pool) => pool.RentBlock();

    private static void RentAndReturn(NumaMemoryPool pool, int size, int count) =>
        Rent(pool, size, count).ForEach(static block => block.Dispose());

    private static List<NumaMemoryBlock> Rent(NumaMemoryPool pool, int size, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => pool.RentBlock(size))];

    private unsafe int[] NodesOf(NumaMemoryBlock block)
    {
        var nodes = new HashSet<int>();
        for (var page = (nint)block.Pointer & ~(Page - 1); page < (nint)block.Pointer + block.Length; page += Page)
        {
            _machine.Platform.Memory.QueryNode(page, out var node).ThrowIfFailed("query");
            nodes.Add(node!.Value.Value);
        }

        return [.. nodes.Order()];
    }

    private NumaMemoryPools Create(
        int blockSize = 4096,
        long limit = 0,
        NumaMemoryCheckMode checks = NumaMemoryCheckMode.None,
        INumaMemoryProvider? memory = null,
        NumaPlan? plan = null,
        SimulatedMachine? machine = null) => new(plan ?? _plan, new NumaMemoryPoolsOptions
        {
            BlockSize = blockSize,
            LimitPerNode = limit,
            Checks = checks,
            Memory = memory ?? (machine ?? _machine).Platform.Memory,
            Affinity = (machine ?? _machine).Platform.Affinity,
            Fallbacks = _fallbacks,
            Time = _time,
        });
}
