using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed class MemoryPoolBindingTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(TestMachines.Row(1, 1, 1, 1, 1, 1));
    private readonly NumaFallbacks _fallbacks = new();

    private IEnumerable<SimulatedCall> Pinnings =>
        _machine.Calls.Where(static call => call.Operation == SimulatedOperation.SetThreadCpus);

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Advisory_Permitted_PrefersTheNodeAndReportsNothing()
    {
        using var pool = Create(NumaBindMode.Advisory, nodeId: 3);
        using var block = pool.RentBlock();

        Assert.Equal([NumaPlacement.Prefer(new(3))], _machine.Placements());
        Assert.Empty(_fallbacks.Current);
        Assert.Empty(Pinnings);
    }

    [Fact]
    public void Strict_Permitted_BindsToTheMemoryNode()
    {
        using var pool = Create(NumaBindMode.Strict, nodeId: 3, memoryNodeId: 5);
        using var block = pool.RentBlock(9_000_000);

        Assert.Equal([NumaPlacement.Bind(new(5))], _machine.Placements());
        Assert.Equal(3, block.NodeId.Value);
        Assert.Equal(5, pool.MemoryNodeId.Value);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(9_000_000)]
    public void Strict_Refused_ThrowsWithNodeAndErrorAndLeaksNothing(int size)
    {
        Refuse(SimulatedOperation.Bind, SimulatedError.EPERM);
        using var pool = Create(NumaBindMode.Strict, nodeId: 2);

        var exception = Assert.Throws<NumaException>(() => pool.Rent(size));
        Assert.Contains("node 2", exception.Message, StringComparison.Ordinal);
        Assert.Contains("EPERM", exception.Message, StringComparison.Ordinal);
        Assert.Equal(2, exception.NodeId?.Value);
        Assert.Equal(0, _machine.ReservedBytes);
    }

    [Fact]
    public void Advisory_Refused_TouchesFirstOnAPinnedThreadAndSaysSoOnce()
    {
        Refuse(SimulatedOperation.Bind, SimulatedError.EPERM);
        var cpus = CpuSet.FromIds(0);
        using var pool = Create(NumaBindMode.Advisory, nodeId: 1, cpus: cpus);
        var blocks = Enumerable.Range(0, 2000).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());

        var pinning = Assert.Single(Pinnings);
        Assert.Equal(cpus, pinning.Cpus);
        Assert.NotEqual(Environment.CurrentManagedThreadId, pinning.ThreadId);
        Assert.All(
            _machine.Calls.Where(static call => call.Operation == SimulatedOperation.Commit),
            call => Assert.Equal(pinning.ThreadId, call.ThreadId));
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("memory.bind", 1), (fallback.Feature, fallback.NodeId?.Value));
        Assert.Contains("EPERM", fallback.Message, StringComparison.Ordinal);
        Assert.Equal(1, _fallbacks.ReportCount);
        Assert.Single(_machine.Placements());
    }

    [Fact]
    public void Advisory_RefusedAndFirstTouch_PagesAreThereBeforeUse()
    {
        Assert.SkipWhen(KernelMemory.QueryRefusal is not null, $"move_pages(2) is refused here: {KernelMemory.QueryRefusal}.");
        Refuse(SimulatedOperation.Bind, SimulatedError.EPERM);
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        using var block = pool.RentBlock();

        unsafe
        {
            NumaPlatform.Default.Memory.QueryNode((nint)block.Pointer, out var nodeId).ThrowIfFailed("move_pages");
            Assert.NotNull(nodeId);
        }
    }

    [Fact]
    public void Advisory_RefusedAndPinningRefused_StillWorksAndSaysBoth()
    {
        Refuse(SimulatedOperation.Bind, SimulatedError.EINVAL);
        Refuse(SimulatedOperation.SetThreadCpus, SimulatedError.EINVAL);
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);

        Assert.Equal(["memory.bind", "memory.touch"], _fallbacks.Current.Select(static item => item.Feature));
    }

    [Fact]
    public void Advisory_PinningRefusedForAWhile_IsReportedUntilItIsGranted()
    {
        Refuse(SimulatedOperation.Bind, SimulatedError.EPERM);
        _machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EINVAL) { Times = 2 });
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        using var first = pool.RentBlock();
        using var second = pool.RentBlock(9_000_000);
        Assert.Equal(["memory.bind", "memory.touch"], _fallbacks.Current.Select(static item => item.Feature));
        Assert.Equal(2, _fallbacks.ReportCount);

        using var third = pool.RentBlock(9_000_000);
        Assert.Equal("memory.bind", Assert.Single(_fallbacks.Current).Feature);
        using var fourth = pool.RentBlock(9_000_000);
        Assert.Equal(3, Pinnings.Count());
    }

    [Fact]
    public void Advisory_AffinityProviderThrows_StillWorksAndSaysIt()
    {
        Refuse(SimulatedOperation.Bind, SimulatedError.EPERM);
        var affinity = Substitute.For<INumaAffinityProvider>();
        affinity.SetThreadCpus(Arg.Any<CpuSet>()).Returns(static _ => throw new InvalidOperationException());
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0), affinity: affinity);
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);

        Assert.Contains(
            _fallbacks.Current, static item => item.Message.Contains("InvalidOperationException", StringComparison.Ordinal));
    }

    [Fact]
    public void Advisory_HandlerOfAFallbackRents_EveryBlockHasMemoryOfItsOwn()
    {
        Refuse(SimulatedOperation.Bind, SimulatedError.EPERM);
        Refuse(SimulatedOperation.SetThreadCpus, SimulatedError.EINVAL);
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        var ofHandler = new CallLog<NumaMemoryBlock>();
        _fallbacks.Reported += (_, _) => ofHandler.Add(pool.RentBlock());
        List<NumaMemoryBlock> blocks = [.. Enumerable.Range(0, 500).Select(_ => pool.RentBlock()), .. ofHandler];

        for (var i = 0; i < blocks.Count; i++)
        {
            blocks[i].GetSpan().Fill((byte)i);
        }

        Assert.Equal(502, blocks.Distinct().Count());
        Assert.All(blocks, (block, i) => Assert.Equal(-1, block.GetSpan().IndexOfAnyExcept((byte)i)));
        Assert.Equal((502L, _machine.GetUsedBytes(new(0))), (pool.RentedBlocks, pool.CommittedBytes));
        blocks.ForEach(static block => block.Dispose());
        Assert.Equal(pool.CommittedBytes, pool.Trim());
        Assert.Equal(0, _machine.ReservedBytes);
    }

    [Fact]
    public void None_Always_NeitherBindsNorReports()
    {
        using var pool = Create(NumaBindMode.None);
        using var block = pool.RentBlock();

        Assert.Empty(_machine.Placements());
        Assert.Empty(_fallbacks.Current);
        Assert.Empty(Pinnings);
    }

    [Fact]
    public void None_WithFirstTouchCpus_TouchesThere()
    {
        var cpus = CpuSet.FromIds(0);
        using var pool = Create(NumaBindMode.None, cpus: cpus);
        using var block = pool.RentBlock();

        Assert.Empty(_machine.Placements());
        Assert.Equal(cpus, Assert.Single(Pinnings).Cpus);
    }

    [Fact]
    public void None_InterruptedWhilePagesAreTouched_WaitsForThemAndStaysInterrupted()
    {
        using var never = new Gate();
        using var gate = new Gate();
        using var committing = new ManualResetEventSlim();
        var memory = new FaultyMemoryProvider
        {
            OnCommit = () =>
            {
                committing.Set();
                gate.Pass();
                return NumaResult.Success;
            },
        };
        using var pool = Create(NumaBindMode.None, cpus: CpuSet.FromIds(0), memory: memory);
        Thread? thread = null;
        var renting = Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref thread, Thread.CurrentThread);
                using var block = pool.RentBlock();
                block.GetSpan().Fill(1);
                Assert.Throws<ThreadInterruptedException>(never.Pass);
            },
            TaskCreationOptions.LongRunning);
        Wait.For(committing);
        var renter = Volatile.Read(ref thread)!;
        Wait.UntilBlocked(renter);

        renter.Interrupt();
        gate.Open();
        Wait.For(renting);
    }

    private void Refuse(SimulatedOperation operation, SimulatedError error) =>
        _machine.Inject(new SimulatedFault(operation, error));

    private NumaMemoryPool Create(
        NumaBindMode mode,
        int nodeId = 0,
        int? memoryNodeId = null,
        CpuSet? cpus = null,
        INumaAffinityProvider? affinity = null,
        INumaMemoryProvider? memory = null) =>
        new(new NumaMemoryPoolOptions
        {
            NodeId = new(nodeId),
            MemoryNodeId = memoryNodeId is { } id ? new NumaNodeId(id) : null,
            BindMode = mode,
            Memory = memory ?? _machine.Platform.Memory,
            Affinity = affinity ?? _machine.Platform.Affinity,
            FirstTouchCpus = cpus,
            Fallbacks = _fallbacks,
        });
}
