using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class TypedMemoryPoolTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(TestMachines.WithIds(0));
    private readonly NumaMemoryPool _pool;

    public TypedMemoryPoolTests() => _pool = new(new NumaMemoryPoolOptions { Memory = _machine.Platform.Memory });

    public void Dispose()
    {
        _pool.Dispose();
        _machine.Dispose();
    }

    [Theory]
    [InlineData(-1, 512)]
    [InlineData(0, 512)]
    [InlineData(1, 512)]
    [InlineData(512, 512)]
    [InlineData(513, 1024)]
    [InlineData(131_072, 131_072)]
    public void Rent_Number_GivesAWholeBlockOfElements(int minBufferSize, int expected)
    {
        using var pool = new NumaMemoryPool<long>(_pool);
        using var owner = pool.Rent(minBufferSize);

        Assert.Equal(expected, owner.Memory.Length);
        Assert.Equal(expected, owner.Memory.Span.Length);
        owner.Memory.Span.Fill(-1);
        Assert.Equal((1L, 8L * expected), (_pool.RentedBlocks, _pool.RentedBytes));
    }

    [Fact]
    public void Rent_ElementsThatDoNotFillABlock_LeavesTheRest()
    {
        using var pool = new NumaMemoryPool<Triple>(_pool);
        using var ordinary = pool.Rent();
        using var full = pool.Rent(341);
        using var more = pool.Rent(342);

        Assert.Equal((341, 341, 682), (ordinary.Memory.Length, full.Memory.Length, more.Memory.Length));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(1)]
    public void Rent_ElementLargerThanABlock_GivesOneAtLeast(int minBufferSize)
    {
        using var pool = new NumaMemoryPool<Wide>(_pool);
        using var owner = pool.Rent(minBufferSize);

        Assert.Equal(1, owner.Memory.Length);
        Assert.Equal(8192, _pool.RentedBytes);
        owner.Memory.Span[0] = default;
    }

    [Fact]
    public void MaxBufferSize_IsInElementsAndTheLargestThatIsAccepted()
    {
        using var bytes = new NumaMemoryPool<byte>(_pool);
        using var longs = new NumaMemoryPool<long>(_pool);
        using var triples = new NumaMemoryPool<Triple>(_pool);

        Assert.Equal(_pool.MaxBufferSize, bytes.MaxBufferSize);
        Assert.Equal(_pool.MaxBufferSize / 8, longs.MaxBufferSize);
        Assert.Equal(_pool.MaxBufferSize / 12, triples.MaxBufferSize);
        _machine.Inject(new SimulatedFault(SimulatedOperation.Reserve, SimulatedError.ENOMEM));
        Assert.Throws<OutOfMemoryException>(() => longs.Rent(longs.MaxBufferSize));
        Assert.Throws<ArgumentOutOfRangeException>("minBufferSize", () => longs.Rent(longs.MaxBufferSize + 1));
        Assert.Throws<ArgumentOutOfRangeException>("minBufferSize", () => longs.Rent(int.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>("minBufferSize", () => longs.Rent(-2));
        Assert.Throws<ArgumentOutOfRangeException>("minBufferSize", () => longs.Rent(int.MinValue));
    }

    [Fact]
    public void Rent_MoreThanEveryClass_HasItsOwnMapping()
    {
        using var pool = new NumaMemoryPool<int>(_pool);
        var owner = pool.Rent(500_000);
        Assert.InRange(owner.Memory.Length, 500_000, 500_016);
        owner.Memory.Span.Fill(1);
        owner.Dispose();

        Assert.Equal(0, _machine.ReservedBytes);
        Assert.Throws<ObjectDisposedException>(owner.Dispose);
    }

    [Fact]
    public void Rent_TypesThatWantAlignment_AreAligned()
    {
        AssertAligned<Vector512<float>>(64);
        AssertAligned<Vector256<float>>(32);
        AssertAligned<Vector128<byte>>(16);
        AssertAligned<Int128>(16);
        AssertAligned<decimal>(8);
    }

    [Fact]
    public void Dispose_OfOwnerTwice_ThrowsAndNamesThePool()
    {
        using var pool = new NumaMemoryPool<double>(_pool);
        var owner = pool.Rent();
        owner.Dispose();

        var exception = Assert.Throws<ObjectDisposedException>(owner.Dispose);
        Assert.Contains("memory pool of node 0", exception.Message, StringComparison.Ordinal);
        Assert.Equal(0, _pool.RentedBlocks);
    }

    [Fact]
    public void Memory_UsedAfterReturn_Throws()
    {
        using var pool = new NumaMemoryPool<double>(_pool);
        var owner = pool.Rent();
        var memory = owner.Memory;
        owner.Dispose();

        Assert.Throws<ObjectDisposedException>(() => memory.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => memory.Pin());
        Assert.Throws<ObjectDisposedException>(() => owner.Memory);
    }

    [Fact]
    public void Owner_ReturnedAndItsBlockRentedAsSomethingElse_StaysRefused()
    {
        using var doubles = new NumaMemoryPool<double>(_pool);
        using var ints = new NumaMemoryPool<int>(_pool);
        var stale = doubles.Rent();
        var memory = stale.Memory;
        stale.Dispose();
        using var other = ints.Rent();

        Assert.Throws<ObjectDisposedException>(stale.Dispose);
        Assert.Throws<ObjectDisposedException>(() => memory.Span.Length);
        Assert.Equal(1024, other.Memory.Span.Length);
        Assert.Equal(1, _pool.RentedBlocks);
    }

    [Fact]
    public void Pin_InsideAndOutside_GivesPointerOrThrows()
    {
        using var pool = new NumaMemoryPool<long>(_pool);
        using var owner = pool.Rent();
        var manager = Assert.IsAssignableFrom<MemoryManager<long>>(owner);
        using var start = owner.Memory.Pin();
        using var inside = owner.Memory[100..].Pin();

        Assert.Equal(800, (byte*)inside.Pointer - (byte*)start.Pointer);
        Assert.Throws<ArgumentOutOfRangeException>(() => manager.Pin(513));
        Assert.Throws<ArgumentOutOfRangeException>(() => manager.Pin(-1));
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void Rent_SeveralTypesOfOnePool_AllocatesNothing()
    {
        using var longs = new NumaMemoryPool<long>(_pool);
        using var floats = new NumaMemoryPool<float>(_pool);
        using var triples = new NumaMemoryPool<Triple>(_pool);

        Assert.Equal(0, Allocations.OfSteadyState(() =>
        {
            using (var first = longs.Rent())
            using (var second = longs.Rent(10_000))
            {
                first.Memory.Span[0] = second.Memory.Span[0];
            }

            using var third = floats.Rent();
            using var fourth = triples.Rent();
            third.Memory.Span[0] = fourth.Memory.Length;
        }));
    }

    [Fact]
    public void Dispose_OfTheTypedPool_LeavesThePoolAndWhatIsRented()
    {
        var pool = new NumaMemoryPool<long>(_pool);
        using var owner = pool.Rent();
        pool.Dispose();
        pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
        owner.Memory.Span.Fill(7);
        using var block = _pool.RentBlock();
        block.GetSpan().Fill(1);
        Assert.Equal(7, owner.Memory.Span[^1]);
    }

    [Fact]
    public void Rent_PoolDisposed_ThrowsAndLateOwnersReleaseTheMemory()
    {
        using var pool = new NumaMemoryPool<long>(_pool);
        var late = pool.Rent();
        _pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => pool.Rent());
        late.Memory.Span.Fill(1);
        late.Dispose();
        Assert.Equal(0, _machine.ReservedBytes);
    }

    [Fact]
    public void Constructor_Null_Throws() => Assert.Throws<ArgumentNullException>(() => new NumaMemoryPool<int>(null!));

    [Fact]
    [Trait("kind", "stress")]
    public void RentAndReturn_OwnersPassedBetweenThreads_NoBlockIsLostOrGivenTwice()
    {
        using var longs = new NumaMemoryPool<long>(_pool);
        using var ints = new NumaMemoryPool<int>(_pool);
        IMemoryOwner<long>?[] passed = new IMemoryOwner<long>?[16];
        TestThreads.Run(3, thread =>
        {
            for (var i = 0; i < 50_000; i++)
            {
                var mark = ((long)thread << 32) | (uint)i;
                var owner = longs.Rent();
                owner.Memory.Span[0] = owner.Memory.Span[^1] = mark;
                using (var other = ints.Rent())
                {
                    other.Memory.Span[0] = -1;
                }

                Assert.Equal((mark, mark), (owner.Memory.Span[0], owner.Memory.Span[^1]));
                Interlocked.Exchange(ref passed[i % passed.Length], owner)?.Dispose();
            }
        });
        Array.ForEach(passed, static owner => owner?.Dispose());

        Assert.Equal(0, _pool.RentedBlocks);
        _pool.Trim();
        Assert.Equal((0L, 0L), (_pool.CommittedBytes, _machine.ReservedBytes));
    }

    private void AssertAligned<T>(int alignment)
        where T : unmanaged
    {
        Assert.InRange(Unsafe.SizeOf<AlignmentOf<T>>() - Unsafe.SizeOf<T>(), 1, 64);
        using var pool = new NumaMemoryPool<T>(_pool);
        var owners = new[] { pool.Rent(), pool.Rent(1), pool.Rent(3000 / sizeof(T) * 2), pool.Rent(2_000_000 / sizeof(T)) };
        foreach (var owner in owners)
        {
            using var handle = owner.Memory.Pin();
            Assert.Equal(0, (nint)handle.Pointer % alignment);
            owner.Dispose();
        }
    }

    private readonly record struct Triple(float X, float Y, float Z);

    [InlineArray(5000)]
    private struct Wide
    {
#pragma warning disable CS0169, IDE0051 // The element of an inline array.
        private byte _element;
#pragma warning restore CS0169, IDE0051
    }

    private readonly struct AlignmentOf<T>
        where T : unmanaged
    {
#pragma warning disable CS0169, IDE0051 // Only its size is of interest.
        private readonly byte _before;
        private readonly T _value;
#pragma warning restore CS0169, IDE0051
    }
}
