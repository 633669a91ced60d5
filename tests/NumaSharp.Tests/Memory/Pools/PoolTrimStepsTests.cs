using NumaSharp.Core;
using NumaSharp.Core.Memory;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>How long a trim keeps others from the pool's lock, in blocks and slabs that it looks at.</summary>
public sealed class PoolTrimStepsTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly ManualTime _time = new();

    [Theory]
    [InlineData(4096, 20_000, 60)]
    [InlineData(64, 100_000, 10)]
    public void Tick_ManyFreeBlocks_LooksAtSlabsAndAtWhatThreadsKeep(int blockSize, int count, int slabs)
    {
        using var pool = Create(blockSize);
        var blocks = Enumerable.Range(0, count).Select(_ => pool.RentBlock()).ToArray();
        new Random(1).Shuffle(blocks);
        Array.ForEach(blocks, static block => block.Dispose());
        Assert.True(pool.PooledBytes >= (long)count * blockSize);

        // This thread keeps 64, and has given up others.
        var before = pool.LockedSteps;
        _time.Tick();
        Assert.InRange(pool.LockedSteps - before, 1, 64 + FreeSlabs.MaxRecent + slabs);
        before = pool.LockedSteps;
        _time.Tick();
        Assert.InRange(pool.LockedSteps - before, 1, 2 * slabs);
        Assert.Equal((0L, 0), (pool.CommittedBytes, _memory.ReservationCount));
    }

    [Fact]
    public void Tick_GivesManySlabsBack_OthersRentBetweenTwo()
    {
        using var pool = Create(4096);
        var blocks = Enumerable.Range(0, 5000).Select(_ => pool.RentBlock()).ToArray();
        Array.ForEach(blocks, static block => block.Dispose());
        _time.Tick();
        var rents = 0;
        _memory.OnRelease = () => rents += CanRent(pool) ? 1 : 0;
        using var lasting = new ParkedThread(() => _time.Tick());

        _memory.OnRelease = static () => { };
        Assert.True(rents >= 9, $"{rents}");
    }

    // As when a collection makes the pool check for abandoned blocks.
    [Fact]
    public async Task Trim_AnotherThreadReleasesWhatItGaveUp_CountsIt()
    {
        using var pool = Create(4096);
        using var held = new ManualResetEvent(initialState: false);
        using var gate = new ManualResetEvent(initialState: false);
        _memory.OnRelease = () =>
        {
            held.Set();
            Wait.For(gate);
        };
        var small = pool.RentBlock();
        pool.RentBlock(100_000).Dispose();
        var committed = pool.CommittedBytes;
        var first = Task.Run(pool.Trim);
        Wait.For(held);

        small.Dispose();
        var second = Task.Run(pool.Trim);
        Wait.Until(() => pool.PooledBytes == 0);
        gate.Set();

        var (one, other) = (await first.Within("the first trim"), await second.Within("the second trim"));
        Assert.True(one > 0 && other > 0, $"{one} and {other} bytes");
        Assert.Equal((committed, 0L), (one + other, pool.CommittedBytes));
    }

    // Its free blocks are all that it had; those on their way are not free.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Trim_WhileAWhollyFreeSlabGrows_ItStays(bool grows)
    {
        using var pool = Create(4096);
        pool.RentBlock().Dispose();
        _time.Tick();
        var trimmed = -1L;
        _memory.OnCommit = () =>
        {
            trimmed = pool.Trim();
            return grows ? NumaResult.Success : FaultyMemoryProvider.NoMemory;
        };
        var failure = Record.Exception(() => pool.Preallocate(pool.CommittedBytes + 4096));

        _memory.OnCommit = static () => NumaResult.Success;
        Assert.Equal((0L, grows), (trimmed, failure is null));
        using (var block = pool.RentBlock())
        {
            block.GetSpan().Fill(1);
        }

        pool.Trim();
        Assert.Equal((0L, 0), (pool.CommittedBytes, _memory.ReservationCount));
    }

    // Another thread's: the one that trims may hold locks.
    private static bool CanRent(NumaMemoryPool pool)
    {
        var isDone = false;
        var thread = new Thread(() =>
        {
            pool.RentBlock().Dispose();
            Volatile.Write(ref isDone, true);
        });
        thread.Start();
        Wait.For(thread);
        return isDone;
    }

    private NumaMemoryPool Create(int blockSize) => new(new NumaMemoryPoolOptions
    {
        BlockSize = blockSize,
        Memory = _memory,
        TrimAfter = TimeSpan.FromMinutes(1),
        KeepPerNode = 0,
        Time = _time,
    });
}
