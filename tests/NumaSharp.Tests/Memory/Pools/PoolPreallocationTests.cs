using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed class PoolPreallocationTests : IDisposable
{
    private const long Size = 5L << 20;

    private readonly SimulatedMachine _machine = new(TestMachines.WithIds(0, 2));

    private long Commits => _machine.GetCallCount(SimulatedOperation.Commit);

    public void Dispose() => _machine.Dispose();

    [Theory]
    [InlineData(4096)]
    [InlineData(64)]
    [InlineData(1 << 20)]
    public void Preallocate_NewPool_HasSoMuchAndRentsWithoutTheSystem(int blockSize)
    {
        using var pool = Create(blockSize: blockSize);
        pool.Preallocate(Size);
        var (committed, count) = (pool.CommittedBytes, Commits);
        Assert.InRange(committed, Size, Size + (2L << 20));

        var blocks = Enumerable.Range(0, (int)(pool.PooledBytes / blockSize)).Select(_ => pool.RentBlock()).ToList();
        Assert.Equal((committed, count), (pool.CommittedBytes, Commits));
        blocks.ForEach(static block => block.Dispose());
    }

    // Memory without a page behind it is on no node, as move_pages(2) says.
    [Fact]
    public unsafe void Preallocate_Pages_AreThereBeforeTheyAreUsed()
    {
        Assert.SkipWhen(KernelMemory.QueryRefusal is not null, $"move_pages(2) is refused here: {KernelMemory.QueryRefusal}.");
        var memory = NumaPlatform.Default.Memory;
        memory.Reserve(memory.PageSize, memory.PageSize, out var untouched).ThrowIfFailed("mmap");
        memory.Commit(untouched, memory.PageSize).ThrowIfFailed("mprotect");
        Assert.Null(NodeOf(untouched));
        memory.Release(untouched, memory.PageSize).ThrowIfFailed("munmap");

        using var pool = Create();
        pool.Preallocate(Size);
        var (count, rest) = (0, new List<NumaMemoryBlock>());
        while (pool.PooledBytes > 0)
        {
            var next = pool.RentBlock();
            rest.Add(next);
            var (first, last) = ((nint)next.Pointer, (nint)next.Pointer + next.Length - 1);
            count += NodeOf(first) is not null && NodeOf(last) is not null ? 1 : 0;
        }

        Assert.Equal(rest.Count, count);
        rest.ForEach(static other => other.Dispose());

        static NumaNodeId? NodeOf(nint address)
        {
            NumaPlatform.Default.Memory.QueryNode(address, out var nodeId).ThrowIfFailed("move_pages");
            return nodeId;
        }
    }

    [Fact]
    public void Preallocate_HasAsMuch_TakesNothing()
    {
        using var pool = Create();
        pool.Preallocate(Size);
        var count = Commits;
        pool.Preallocate(Size);
        pool.Preallocate(1);
        pool.Preallocate(0);
        Assert.Equal(count, Commits);
    }

    [Fact]
    public void Preallocate_RentedBlocks_KeepWhatIsInThem()
    {
        using var pool = Create();
        var blocks = Enumerable.Range(0, 40).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.GetSpan().Fill(0xA5));
        pool.Preallocate(Size);
        Assert.All(blocks, static block => Assert.Equal(-1, block.GetSpan().IndexOfAnyExcept((byte)0xA5)));
        blocks.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Preallocate_BeyondTheLimit_StopsThere()
    {
        using var pool = Create(limit: 1 << 20);
        pool.Preallocate(Size);
        Assert.InRange(pool.CommittedBytes, (1 << 20) - 8192, 1 << 20);
        pool.RentBlock(512 * 1024).Dispose();
    }

    [Fact]
    public void Preallocate_NoMemory_ThrowsAndKeepsWhatItHas()
    {
        using var pool = Create();
        _machine.Inject(new SimulatedFault(SimulatedOperation.Commit, SimulatedError.ENOMEM) { After = 3 });
        var exception = Assert.Throws<OutOfMemoryException>(() => pool.Preallocate(Size));
        Assert.Contains("ENOMEM", exception.Message, StringComparison.Ordinal);
        Assert.Contains("5242880", exception.Message, StringComparison.Ordinal);

        Assert.Equal(_machine.GetUsedBytes(new(0)), pool.CommittedBytes);
        Assert.True(pool.PooledBytes > 0);
        pool.RentBlock().Dispose();
    }

    [Fact]
    public void Preallocate_NotAllowed_Throws()
    {
        var pool = Create();
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.Preallocate(-1));
        pool.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pool.Preallocate(1));
    }

    [Fact]
    public void Preallocate_WithChecks_FindsNothingWrong()
    {
        using var pool = Create(checks: NumaMemoryCheckMode.Full);
        pool.Preallocate(Size);
        using (var block = pool.RentBlock())
        {
            block.GetSpan().Fill(1);
        }

        pool.Trim();
    }

    [Fact]
    public void Preallocate_AllPools_EachHasSoMuch()
    {
        using var pools = new NumaMemoryPools(
            TestMachines.WithIds(0, 2).Plan(new NumaPlanRequest { BindMode = NumaBindMode.Advisory }),
            new NumaMemoryPoolsOptions { Memory = _machine.Platform.Memory });
        pools.Preallocate(Size);
        Assert.All([pools[0], pools[1]], static pool => Assert.True(pool.CommittedBytes >= Size));
    }

    private NumaMemoryPool Create(
        int blockSize = 4096, long limit = 0, NumaMemoryCheckMode checks = NumaMemoryCheckMode.None) =>
        new(new NumaMemoryPoolOptions
        {
            BlockSize = blockSize,
            LimitPerNode = limit,
            Memory = _machine.Platform.Memory,
            Checks = checks,
        });
}
