using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class PoolChecksTests : IDisposable
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly CallLog<NumaFallback> _reported = new();

    public PoolChecksTests() => _fallbacks.Reported += (_, fallback) => _reported.Add(fallback);

    public void Dispose() => Assert.Equal(0, _memory.ReservationCount);

    [Theory]
    [InlineData(NumaMemoryCheckMode.Full, 100)]
    [InlineData(NumaMemoryCheckMode.Full, 100_000)]
    [InlineData(NumaMemoryCheckMode.Full, 5_000_000)]
    [InlineData(NumaMemoryCheckMode.Hardened, 100)]
    [InlineData(NumaMemoryCheckMode.Hardened, 5_000_000)]
    public void StaleOwner_BlockIsRentedAgain_IsRefusedForGood(NumaMemoryCheckMode checks, int size)
    {
        using var pool = Create(checks);
        var stale = RentHere(pool, size);
        var memory = stale.Memory;
        stale.Dispose();

        using var next = pool.RentBlock(size);
        Assert.Throws<ObjectDisposedException>(stale.Dispose);
        Assert.Throws<ObjectDisposedException>(() => stale.Memory);
        Assert.Throws<ObjectDisposedException>(() => memory.Span[0]);
        Assert.Throws<ObjectDisposedException>(() => (nint)stale.Pointer);
        Assert.Throws<ObjectDisposedException>(() => memory.Pin());
        next.GetSpan().Clear();
        Assert.Equal(1, pool.RentedBlocks);
    }

    [Fact]
    public void StaleOwner_Checks_NamesBothPlaces()
    {
        using var pool = Create(NumaMemoryCheckMode.Full);
        var stale = RentHere(pool, 100);
        ReturnHere(stale);

        var message = Assert.Throws<ObjectDisposedException>(stale.Dispose).Message;
        Assert.Contains($"rented at [{GetType().FullName}.{nameof(RentHere)}+", message, StringComparison.Ordinal);
        Assert.Contains($"returned at [{GetType().FullName}.{nameof(ReturnHere)}+", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(NumaMemoryCheckMode.Full)]
    [InlineData(NumaMemoryCheckMode.Hardened)]
    public void StaleOwner_OfATypedFace_IsRefusedForGood(NumaMemoryCheckMode checks)
    {
        using var pool = Create(checks);
        using var ints = new NumaMemoryPool<int>(pool);
        var stale = ints.Rent(10);
        stale.Dispose();

        using var next = ints.Rent(10);
        Assert.NotSame(stale, next);
        Assert.Throws<ObjectDisposedException>(() => stale.Memory);
        Assert.Throws<ObjectDisposedException>(stale.Dispose);
    }

    [Theory]
    [Trait("kind", "stress")]
    [InlineData(NumaMemoryCheckMode.Full)]
    [InlineData(NumaMemoryCheckMode.Hardened)]
    public void Return_ByTwoThreadsAtOnce_OneIsRefused(NumaMemoryCheckMode checks)
    {
        using var pool = Create(checks);
        using var barrier = new Barrier(2);
        var refused = 0;
        for (var i = 0; i < 200; i++)
        {
            var block = pool.RentBlock();
            void ReturnIt()
            {
                barrier.SignalAndWait(TestContext.Current.CancellationToken);
                try
                {
                    block.Dispose();
                }
                catch (ObjectDisposedException)
                {
                    Interlocked.Increment(ref refused);
                }
            }

            var other = TestThreads.Start(ReturnIt);
            ReturnIt();
            Wait.For(other);
            Assert.Equal(i + 1, refused);
            Assert.Equal(0, pool.RentedBlocks);
        }
    }

    [Fact]
    public void Rent_WrittenAfterReturn_SaysWhereAndGivesTheNextOne()
    {
        using var pool = Create(NumaMemoryCheckMode.Full);
        var block = RentHere(pool, 4096);
        var pointer = block.Pointer;
        ReturnHere(block);
        pointer[77] = 0;

        var message = Assert.Throws<InvalidOperationException>(() => pool.RentBlock()).Message;
        Assert.Contains("written to at offset 77 after it had been returned", message, StringComparison.Ordinal);
        Assert.Contains($"0x{(nint)pointer:x}", message, StringComparison.Ordinal);
        Assert.Contains(nameof(RentHere), message, StringComparison.Ordinal);
        Assert.Contains(nameof(ReturnHere), message, StringComparison.Ordinal);
        Assert.Equal(0, pool.RentedBlocks);
        pool.RentBlock().Dispose();
    }

    [Fact]
    public void Trim_WrittenAfterReturn_Throws()
    {
        var pool = Create(NumaMemoryCheckMode.Full);
        var block = pool.RentBlock();
        var pointer = block.Pointer;
        block.Dispose();
        pointer[0] = 0;

        Assert.Throws<InvalidOperationException>(() => pool.Trim());
        pool.Dispose();
        Assert.Equal("memory.damage", Assert.Single(_reported).Feature);
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(1 << 20)]
    public void Return_WrittenBehind_SaysHowFarAndReturnsAllTheSame(int size)
    {
        using var pool = Create(NumaMemoryCheckMode.Full);
        var block = RentHere(pool, size);
        block.Pointer[size + 2] = 0;

        var message = Assert.Throws<InvalidOperationException>(block.Dispose).Message;
        Assert.StartsWith($"The 3 bytes behind the block of {size} bytes", message, StringComparison.Ordinal);
        Assert.Contains(nameof(RentHere), message, StringComparison.Ordinal);
        Assert.Equal(0, pool.RentedBlocks);
    }

    [Fact]
    public void Dispose_BlocksInUse_ReportsThemByPlaceAndTheyStayValid()
    {
        var pool = Create(NumaMemoryCheckMode.Full);
        var block = RentHere(pool, 100);
        var large = RentHere(pool, 3_000_000);
        Assert.Equal(2, pool.GetLiveBlocks().Sum(static live => live.Blocks));

        pool.Dispose();

        var leak = Assert.Single(_reported);
        Assert.Equal("memory.leak", leak.Feature);
        Assert.Contains("2 blocks of 3004096 bytes in use", leak.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(RentHere), leak.Message, StringComparison.Ordinal);
        block.GetSpan().Fill(1);
        block.Dispose();
        large.Dispose();
        Assert.Throws<ObjectDisposedException>(block.Dispose);
    }

    [Fact]
    public void Trim_MemoryComesAgain_IsNotDamage()
    {
        using var pool = Create(NumaMemoryCheckMode.Full);
        for (var round = 0; round < 3; round++)
        {
            var blocks = Enumerable.Range(0, 1500).Select(_ => pool.RentBlock()).ToArray();
            Assert.All(blocks, static block => block.Dispose());
            Assert.True(pool.Trim() > 0);
        }
    }

    [Theory]
    [InlineData(NumaMemoryCheckMode.Full)]
    [InlineData(NumaMemoryCheckMode.Hardened)]
    public void Handle_InAMode_GivesOwnersOfOneRent(NumaMemoryCheckMode checks)
    {
        using var pool = Create(checks);
        var handle = pool.OpenHandle();
        var stale = handle.Rent();
        handle.Return(stale);

        var next = handle.Rent();
        Assert.NotSame(stale, next);
        var isRefused = false;
        try
        {
            handle.Return(stale);
        }
        catch (ObjectDisposedException)
        {
            isRefused = true;
        }

        Assert.True(isRefused);
        handle.Return(next);
        Assert.Equal(0, pool.RentedBlocks);
    }

    [Theory]
    [InlineData(NumaMemoryCheckMode.Full)]
    [InlineData(NumaMemoryCheckMode.Hardened)]
    public void ArrayBacked_InAMode_HasItsArray(NumaMemoryCheckMode checks)
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { ArrayBacked = true, Checks = checks });
        using var owner = pool.Rent();

        Assert.True(System.Runtime.InteropServices.MemoryMarshal.TryGetArray<byte>(owner.Memory, out var segment));
        Assert.Equal(4096, segment.Count);
    }

    [Fact]
    public void Hardened_ZeroOnReturn_NextRentReadsZero()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            Memory = _memory,
            ZeroOnReturn = true,
            Checks = NumaMemoryCheckMode.Hardened,
        });
        var block = pool.RentBlock();
        block.GetSpan().Fill(7);
        block.Dispose();

        using var next = pool.RentBlock();
        Assert.Equal(-1, next.GetSpan().IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void GetLiveBlocks_WithoutChecks_NamesTheOption()
    {
        using var pool = Create(NumaMemoryCheckMode.Hardened);

        var message = Assert.Throws<InvalidOperationException>(() => pool.GetLiveBlocks()).Message;
        Assert.Contains("Checks = Full", message, StringComparison.Ordinal);
    }

    [Fact]
    public void Create_ChecksOutOfRange_NamesWhatIsAllowed()
    {
        var options = new NumaMemoryPoolOptions { Checks = (NumaMemoryCheckMode)7 };

        var message = Assert.Throws<ArgumentOutOfRangeException>(() => new NumaMemoryPool(options)).Message;
        Assert.Contains("None, Full, Hardened", message, StringComparison.Ordinal);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static NumaMemoryBlock RentHere(NumaMemoryPool pool, int size) => pool.RentBlock(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ReturnHere(IMemoryOwner<byte> block) => block.Dispose();

    private NumaMemoryPool Create(NumaMemoryCheckMode checks) => new(new NumaMemoryPoolOptions
    {
        Memory = _memory,
        Checks = checks,
        Fallbacks = _fallbacks,
    });
}
