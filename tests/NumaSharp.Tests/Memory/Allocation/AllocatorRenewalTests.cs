using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Free memory of an allocator whose pages come from another node from now on.</summary>
public sealed unsafe class AllocatorRenewalTests : IDisposable
{
    private const int Run = 64 * 1024;
    private const int Chunk = 1024 * 1024;
    private const int Size = 4096;

    private static readonly int[] s_kept = [0, 700, 701, 1999];

    private readonly SimulatedMachine _machine = new(TestMachines.Row(4, 4));
    private readonly ManualTime _time = new();
    private readonly NumaPlan _plan;

    public AllocatorRenewalTests() => _plan = NumaPlan.Create(_machine.Platform.Topology.Read());

    private NumaPlan WithoutNode1 => _plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan;

    private long Used => _machine.GetUsedBytes(new(0)) + _machine.GetUsedBytes(new(1));

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Apply_ChunksArePartlyInUse_FreeRunsAreOfTheNewNode()
    {
        using var allocator = Create();
        var kept = AllocateAndKeepSome(allocator);
        kept.ForEach(static block => Bytes(block).Fill(0xA5));
        allocator.Apply(WithoutNode1);

        // A run for each block that is far from the others.
        Assert.Equal(3 * Run, _machine.GetUsedBytes(new(1)));
        Assert.Equal((3 * Chunk, allocator.CommittedBytes), (allocator.CommittedBytes, Used));
        Assert.All(kept, static block => Assert.Equal(-1, Bytes(block).IndexOfAnyExcept((byte)0xA5)));

        var commits = _machine.GetCallCount(SimulatedOperation.Commit);
        var again = Allocate(allocator, 200);
        Assert.Equal(commits, _machine.GetCallCount(SimulatedOperation.Commit));
        Free(allocator, again);
        Free(allocator, kept);
    }

    [Fact]
    public void Tick_RunsInUseHaveComeBack_AreOfTheNewNode()
    {
        using var allocator = Create();
        var kept = AllocateAndKeepSome(allocator);
        allocator.Apply(WithoutNode1);
        _time.Tick();
        Assert.Equal(3 * Run, _machine.GetUsedBytes(new(1)));
        Free(allocator, [kept[0]]);
        _time.Tick();
        Assert.Equal(2 * Run, _machine.GetUsedBytes(new(1)));
        Free(allocator, kept[1..]);
        _time.Tick();
        Assert.Equal((0L, allocator.CommittedBytes), (_machine.GetUsedBytes(new(1)), Used));

        // It is over.
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Changes.Last());
    }

    [Fact]
    public void Trim_RunsInUseHaveComeBack_AreOfTheNewNodeWithoutATick()
    {
        using var allocator = Create();
        var kept = AllocateAndKeepSome(allocator);
        allocator.Apply(WithoutNode1);
        Free(allocator, kept[1..]);
        allocator.Trim();
        Assert.Equal(Run, _machine.GetUsedBytes(new(1)));
        Free(allocator, kept[..1]);
    }

    [Fact]
    public void Apply_RunsAreOutOfCirculation_OthersAllocateMeanwhileFromOtherRuns()
    {
        var memory = new FaultyMemoryProvider();
        using var allocator = Create(memory);
        var kept = AllocateAndKeepSome(allocator);
        var meanwhile = new List<nint>();
        memory.OnAdvising = (address, size, _) =>
        {
            var got = new List<nint>();
            Wait.For(TestThreads.Start(() => got.AddRange(Enumerable.Range(0, 40).Select(_ => New(allocator)))));
            Assert.Equal(40, got.Count);
            Assert.DoesNotContain(got, block => block + Size > address && block < address + (nint)size);
            got.ForEach(static block => Bytes(block).Fill(0x5A));
            meanwhile.AddRange(got);
        };
        allocator.Apply(WithoutNode1);
        memory.OnAdvising = static (_, _, _) => { };

        Assert.NotEmpty(meanwhile);
        Assert.All(meanwhile, static block => Assert.Equal(-1, Bytes(block).IndexOfAnyExcept((byte)0x5A)));
        Assert.Equal(kept.Count + meanwhile.Count, allocator.GetStatistics(new(1)).AllocatedBlocks);
        Free(allocator, kept);
        Free(allocator, meanwhile);
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Fact]
    public void Apply_SystemKeepsPages_RunsStayAndAreNotAskedForAgain()
    {
        using var allocator = Create();
        var kept = AllocateAndKeepSome(allocator);
        _machine.Inject(new SimulatedFault(SimulatedOperation.Advise, SimulatedError.EINVAL));
        var before = _machine.GetUsedBytes(new(1));
        allocator.Apply(WithoutNode1);
        Assert.Equal((before, allocator.CommittedBytes), (_machine.GetUsedBytes(new(1)), Used));
        var asked = _machine.GetCallCount(SimulatedOperation.Advise);
        _time.Tick();
        Assert.Equal(asked, _machine.GetCallCount(SimulatedOperation.Advise));
        _machine.ClearFaults();
        Free(allocator, Allocate(allocator, 2000));
        Free(allocator, kept);
        allocator.Trim();
        Assert.Equal((0L, 0L), (allocator.CommittedBytes, Used));
    }

    [Fact]
    public void Apply_MbindIsRefused_FreeRunsAreTouchedOnTheNewNode()
    {
        using var machine = new SimulatedMachine(TestMachines.Row(4, 4, 4));
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var plan = NumaPlan.Create(machine.Platform.Topology.Read());
        using var allocator = Create(machine.Platform.Memory, machine, plan);
        var kept = AllocateAndKeepSome(allocator);
        Assert.Equal(allocator.CommittedBytes, machine.GetUsedBytes(new(1)));
        allocator.Apply(plan.Adapt(TestMachines.ReadAllowed("0-11", "0,2")).Plan);
        Assert.Equal(3 * Run, machine.GetUsedBytes(new(1)));
        Assert.Equal(
            allocator.CommittedBytes, machine.GetUsedBytes(new(0)) + machine.GetUsedBytes(new(1)) + machine.GetUsedBytes(new(2)));
        Free(allocator, kept);
    }

    [Fact]
    public void Free_LargeBlockOfTheFormerNode_IsNotUsedAgain()
    {
        using var allocator = Create();
        var block = allocator.Allocate(3 * Chunk, new(1));
        allocator.Apply(WithoutNode1);
        allocator.Free(block);
        Assert.Equal(0, _machine.GetUsedBytes(new(1)));
        block = allocator.Allocate(3 * Chunk, new(1));
        Assert.Equal(3 * Chunk, _machine.GetUsedBytes(new(0)));
        allocator.Free(block);
        Assert.Equal(3 * Chunk, allocator.CommittedBytes);
    }

    [Fact]
    public void Apply_ProviderThrowsInTheMiddle_OtherChunksFollowAtTheNextTick()
    {
        var memory = new FaultyMemoryProvider();
        using var allocator = Create(memory, trimAfter: TimeSpan.FromSeconds(1));
        Free(allocator, Allocate(allocator, 2000));
        Assert.Equal(9 * Chunk, allocator.CommittedBytes);
        var asked = 0;
        memory.OnAdvising = (_, _, _) =>
        {
            if (++asked == 3)
            {
                throw new InvalidOperationException("No.");
            }
        };
        Assert.Throws<InvalidOperationException>(() => allocator.Apply(WithoutNode1));
        memory.OnAdvising = static (_, _, _) => { };

        // Two were given back, and the third is not asked for again.
        Assert.Equal(7 * Chunk, allocator.CommittedBytes);
        _time.Tick();
        Assert.Equal(Chunk, allocator.CommittedBytes);
    }

    [Fact]
    public void Trim_InterruptedWhileTheNodeIsBound_DoesNotWaitAndLosesNoBlock()
    {
        using var binding = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var allocator = Create(memory);
        using var gate = new Gate();
        Free(allocator, Allocate(allocator, 2000));
        memory.OnBind = () =>
        {
            binding.Set();
            gate.Pass();
            return NumaResult.Success;
        };
        var one = TestThreads.Start(() => allocator.Apply(WithoutNode1));
        Wait.For(binding);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            _ = Record.Exception(() => { allocator.Trim(); });
        });
        Wait.For(other);
        gate.Open();
        Wait.For(one);

        Free(allocator, Allocate(allocator, 2000));
        allocator.Trim();
        Assert.Equal((0L, 0L), (allocator.CommittedBytes, allocator.AllocatedBytes));
    }

    [Fact]
    public void Apply_BindThrows_TheNextCallContinues()
    {
        var memory = new FaultyMemoryProvider();
        using var allocator = Create(memory);
        Free(allocator, Allocate(allocator, 2000));
        var plan = WithoutNode1;
        memory.OnBind = static () => throw new InvalidOperationException("No.");
        Assert.Throws<InvalidOperationException>(() => allocator.Apply(plan));
        memory.OnBind = static () => NumaResult.Success;
        allocator.Apply(plan);

        Assert.Equal(0L, allocator.CommittedBytes);
    }

    [Fact]
    public void Apply_InterruptedWhileALargeBlockIsUnmapped_FreeMemoryFollows()
    {
        using var releasing = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider();
        using var allocator = Create(memory);
        using var gate = new Gate();
        Free(allocator, Allocate(allocator, 2000));

        // Too large to wait for the next request.
        var large = (nint)allocator.Allocate(40 * Chunk, new(1));
        memory.OnRelease = () =>
        {
            releasing.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => allocator.Free((void*)large));
        Wait.For(releasing);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => allocator.Apply(WithoutNode1));
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        Assert.Equal(0L, allocator.CommittedBytes);
    }

    private static Span<byte> Bytes(nint block) => new((void*)block, Size);

    private static nint New(NumaAllocator allocator) => (nint)allocator.Allocate(Size, new(1));

    // By threads that end: one that lives keeps a block.
    private static List<nint> Allocate(NumaAllocator allocator, int count)
    {
        var blocks = new List<nint>();
        TestThreads.Run(() => blocks.AddRange(Enumerable.Range(0, count).Select(_ => New(allocator))));
        return blocks;
    }

    private static void Free(NumaAllocator allocator, List<nint> blocks) =>
        TestThreads.Run(() => blocks.ForEach(block => allocator.Free((void*)block)));

    private static List<nint> AllocateAndKeepSome(NumaAllocator allocator)
    {
        var blocks = Allocate(allocator, 2000);
        List<nint> kept = [.. s_kept.Select(index => blocks[index])];
        Free(allocator, [.. blocks.Except(kept)]);
        return kept;
    }

    private NumaAllocator Create(
        INumaMemoryProvider? memory = null,
        SimulatedMachine? machine = null,
        NumaPlan? plan = null,
        TimeSpan trimAfter = default) =>
        new(plan ?? _plan, new NumaAllocatorOptions
        {
            TrimAfter = trimAfter,
            KeepPerNode = 1L << 30,
            Memory = memory ?? _machine.Platform.Memory,
            Affinity = (machine ?? _machine).Platform.Affinity,
            Fallbacks = new NumaFallbacks(),
            Time = _time,
        });
}
