using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>
/// Millions of operations, in the deep tier more than a hundred: threads come and go, free each other's blocks, and are trimmed
/// meanwhile.
/// </summary>
public sealed unsafe class AllocatorLoadTests
{
    private const int Threads = 4;
    private const int Lives = 25;
    private const int Nested = 12;

    // More than a thread keeps.
    private const int Burst = 600;
    private const int BurstEvery = 50;
    private const int MostInBurst = 512;
    private const int Shared = 1 << 12;

    private static readonly int[] s_sizes = [16, 24, 64, 64, 64, 96, 160, 256, 512, 1000, 1520, 2048, 4096, 8192, 16, 70_000];

    private readonly FaultyMemoryProvider _memory = new();
    private readonly FaultyMemoryProvider _own = new();
    private readonly ThreadOnNode _threads = new();
    private readonly ManualTime _time = new();
    private readonly nint[] _shared = new nint[Shared];

    [Theory]
    [InlineData(5_000_000)]
    [InlineData(150_000_000, Traits = ["tier", "deep"])]
    public void AllocateAndFree_MillionsOfTimes_EveryBlockHasOneOwnerAndAllComeBack(long atLeast)
    {
        var plan = TestMachines.WithIds(0, 1, 2).Plan();
        var allocator = new NumaAllocator(plan, new NumaAllocatorOptions
        {
            Memory = _memory,
            OwnMemory = _own,
            Affinity = _threads,
            AddressSpacePerNode = 4L << 30,
            TrimAfter = TimeSpan.FromSeconds(1),
            Time = _time,
        });
        using var done = new CountdownEvent(Threads);
        long operations = 0;
        TestThreads.Run(Threads + 1, index =>
        {
            if (index == Threads)
            {
                TrimUntil(allocator, done.WaitHandle);
                return;
            }

            try
            {
                for (var life = 0; life < Lives; life++)
                {
                    var (seed, wanted) = ((index * Lives) + life, 1 + (atLeast / Threads / Lives));
                    TestThreads.Run(() => Interlocked.Add(ref operations, Work(allocator, seed, wanted)));
                }
            }
            finally
            {
                done.Signal();
            }
        });

        Assert.True(operations >= atLeast, $"{operations} operations.");
        AssertAllComesBack(allocator);
    }

    // Mostly on its own; every so often a block goes to the others, and what was there is freed here.
    private long Work(NumaAllocator allocator, int seed, long wanted)
    {
        _threads.NodeId = new(seed % 3);
        var held = stackalloc nint[Burst];
        var random = (uint)seed + 1;
        var done = 0L;
        for (var round = 0; done < wanted; round++)
        {
            random = (random * 1_664_525) + 1_013_904_223;
            var size = s_sizes[random >> 28];
            done += round % BurstEvery == 0
                ? InALoop(allocator, held, Burst, Math.Min(size, MostInBurst))
                : InALoop(allocator, held, Nested, size);
            ref var shared = ref _shared[(random >> 8) % Shared];
            done += 1 + Leave(allocator, Interlocked.Exchange(ref shared, Take(allocator, size)));
        }

        return done;
    }

    private static int InALoop(NumaAllocator allocator, nint* held, int count, int size)
    {
        for (var i = 0; i < count; i++)
        {
            held[i] = Take(allocator, size);
        }

        for (var i = 0; i < count; i++)
        {
            Leave(allocator, held[i]);
        }

        return 2 * count;
    }

    private static nint Take(NumaAllocator allocator, int size)
    {
        var block = allocator.Allocate((nuint)size);
        TaggedBlock.Take(block, size);
        return (nint)block;
    }

    private static int Leave(NumaAllocator allocator, nint block)
    {
        if (block == 0)
        {
            return 0;
        }

        TaggedBlock.Leave((void*)block);
        allocator.Free((void*)block);
        return 1;
    }

    private void TrimUntil(NumaAllocator allocator, WaitHandle done)
    {
        for (var i = 0; !done.WaitOne(TimeSpan.FromMilliseconds(5)); i++)
        {
            if (i % 2 == 0)
            {
                _time.Tick();
            }
            else
            {
                allocator.Trim();
            }
        }
    }

    private void AssertAllComesBack(NumaAllocator allocator)
    {
        var inUse = _shared.Count(static block => block != 0);
        Assert.Equal(inUse, Enumerable.Range(0, 3).Sum(node => allocator.GetStatistics(new(node)).AllocatedBlocks));
        TestThreads.Run(1, _ => Array.ForEach(_shared, block => Leave(allocator, block)));
        Assert.Equal(0, allocator.AllocatedBytes);
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
        allocator.Dispose();
        Assert.Equal((0, 0, 0L), (_memory.ReservationCount, _own.ReservationCount, allocator.CommittedBytes));
    }
}
