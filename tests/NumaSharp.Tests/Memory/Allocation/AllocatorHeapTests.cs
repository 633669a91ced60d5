using NumaSharp.Core;
using NumaSharp.Core.Memory;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Threads' heaps: their handles, several allocators, many nodes, no managed memory.</summary>
public sealed unsafe class AllocatorHeapTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly ThreadOnNode _threads = new();

    [Fact]
    public void OpenHeap_ThreadMovesOn_StaysWithTheNode()
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        var heap = allocator.OpenHeap();
        _threads.NodeId = new(2);
        var blocks = new List<nint>();
        foreach (var size in new nuint[] { 64, 5000, 200_000, 1_000_000 })
        {
            for (var i = 0; i < 200; i++)
            {
                var block = heap.Allocate(size);
                Assert.Equal(0, allocator.GetNodeId(block).Value);
                blocks.Add((nint)block);
            }
        }

        blocks.ForEach(block => allocator.Free((void*)block));
        Assert.Equal(0, allocator.AllocatedBytes);
        Assert.Equal(2, allocator.GetNodeId(allocator.OpenHeap().Allocate(10)).Value);
    }

    [Theory]
    [InlineData(1, 32, 64)]
    [InlineData(64, 32, 64)]
    [InlineData(128, 1, 1)]
    public void AllocateAligned_ToACacheLineAtMost_StartsAreOfManyColours(int alignment, int least, int most)
    {
        using var allocator = Create(TestMachines.WithIds(0).Plan());
        nint[] blocks = [.. Enumerable.Range(0, 1000).Select(_ => (nint)allocator.AllocateAligned(4096, (nuint)alignment))];

        // Which of the 64 lines of 4096 bytes: blocks that start at the same compete for it in the first-level cache.
        Assert.InRange(blocks.Select(static block => block % 4096).Distinct().Count(), least, most);
        Assert.All(blocks, static block => Assert.Equal(0, block % 64));
        Array.ForEach(blocks, block => allocator.Free((void*)block));
    }

    [Fact]
    public void OpenHeap_TrimmedMeanwhile_WorksOn()
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        var heap = allocator.OpenHeap();
        for (var i = 0; i < 100; i++)
        {
            var first = heap.Allocate(100);
            heap.Free(heap.Allocate(100));
            allocator.Trim();
            heap.Free(first);
            heap.Free(null);
        }

        Assert.Equal(0, allocator.AllocatedBytes);
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Fact]
    public void OpenHeap_AllocatorDisposed_FreesWhatIsInUseAndRefusesTheRest()
    {
        var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        var heap = allocator.OpenHeap();
        var (first, second) = ((nint)heap.Allocate(100), (nint)heap.Allocate(1_000_000));
        allocator.Dispose();
        Assert.True(Refuses<ObjectDisposedException>(heap, static heap => heap.Allocate(100)));
        Assert.True(Refuses<ObjectDisposedException>(heap, static heap => heap.Allocate(1_000_000)));
        heap.Free((void*)first);
        heap.Free((void*)second);

        Assert.Equal(0, _memory.ReservationCount);
        Assert.True(Refuses<InvalidOperationException>(heap, heap => heap.Free((void*)first)));
        Assert.True(Refuses<InvalidOperationException>(heap, heap => heap.Free((void*)second)));
        Assert.Throws<ObjectDisposedException>(() => { allocator.OpenHeap(); });
    }

    [Theory]
    [Trait("kind", "stress")]
    [InlineData(30)]
    [InlineData(300, Traits = new[] { "tier", "deep" })]
    public void OpenHeap_OfAThreadThatEndedWhileItIsDrained_NoBlockIsGivenTwice(int rounds)
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        for (var round = 0; round < rounds; round++)
        {
            TestThreads.Run(1, _ => Take(allocator, 400).ForEach(block => allocator.Free((void*)block)));
            var taken = new List<nint>[2];
            TestThreads.Run(2, thread =>
            {
                if (thread == 0)
                {
                    ((ITimed)allocator).OnTick();
                }

                taken[thread] = Take(allocator, 400);
            });

            List<nint> all = [.. taken[0], .. taken[1]];
            Assert.Equal(all.Count, all.Distinct().Count());
            all.ForEach(block => allocator.Free((void*)block));
        }

        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Fact]
    [Trait("kind", "stress")]
    public void Free_FirstCallOfAThreadDuringDispose_NeverFails()
    {
        for (var round = 0; round < 200; round++)
        {
            var allocator = Create(TestMachines.WithIds(0, 2).Plan());
            var blocks = Take(allocator, 3);
            using var barrier = new Barrier(4);
            TestThreads.Run(4, thread =>
            {
                barrier.SignalAndWait();
                if (thread == 3)
                {
                    allocator.Dispose();
                    return;
                }

                allocator.Free((void*)blocks[thread]);
            });
            allocator.Dispose();
            Assert.Equal((0L, 0), (allocator.CommittedBytes, _memory.ReservationCount));
        }
    }

    [Fact]
    public void Dispose_AnotherThreadStillRuns_ReleasedWhenUnreachable()
    {
        using var other = new ParkedThread(UseAndForget);
        Wait.UntilCollected(() => _memory.ReservationCount == 0);
    }

    [Fact]
    public void Allocate_TwoAllocatorsInTurn_EachKeepsItsOwn()
    {
        using var first = Create(TestMachines.WithIds(0, 2).Plan());
        using var second = Create(TestMachines.WithIds(0, 2).Plan());
        var blocks = new nint[2000];
        for (var round = 0; round < 3; round++)
        {
            for (var i = 0; i < blocks.Length; i++)
            {
                blocks[i] = (nint)(i % 2 == 0 ? first : second).Allocate((nuint)(i % 300) + 1);
            }

            Assert.Equal(1000, first.GetStatistics(new(0)).AllocatedBlocks);
            Assert.Throws<InvalidOperationException>(() => first.Free((void*)blocks[1]));
            for (var i = 0; i < blocks.Length; i++)
            {
                (i % 2 == 0 ? first : second).Free((void*)blocks[i]);
            }
        }

        Assert.Equal((0L, 0L), (first.AllocatedBytes, second.AllocatedBytes));
    }

    [Fact]
    public void Allocate_SixtyFourNodes_EachHasItsOwn()
    {
        using var allocator = Create(TestMachines.WithIds(Enumerable.Range(0, 64)).Plan());
        var blocks = new List<nint>();
        for (var i = 0; i < 64 * 50; i++)
        {
            _threads.NodeId = new(i % 7);
            var block = allocator.Allocate((nuint)(1 << (i % 20)), nodeId: new(i % 64));
            Assert.Equal(i % 64, allocator.GetNodeId(block).Value);
            blocks.Add((nint)block);
        }

        Assert.All(Enumerable.Range(0, 64), node => Assert.Equal(50, allocator.GetStatistics(new(node)).AllocatedBlocks));
        TestThreads.Run(1, _ => blocks.ForEach(block => allocator.Free((void*)block)));
        Assert.Equal(0, allocator.AllocatedBytes);
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Theory]
    [Trait("kind", "allocation")]
    [InlineData(1, 64)]
    [InlineData(1000, 64)]
    [InlineData(3000, 16)]
    [InlineData(40, 100_000)]
    public void Allocate_SteadyState_TakesNoManagedMemory(int count, int size)
    {
        using var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        var blocks = new nint[count];
        var bytes = Allocations.OfSteadyState(
            () =>
            {
                foreach (ref var block in blocks.AsSpan())
                {
                    block = (nint)allocator.Allocate((nuint)size);
                }

                foreach (var block in blocks)
                {
                    allocator.Free((void*)block);
                }
            },
            1_000_000 / count);

        Assert.Equal(0, bytes);
    }

    private static List<nint> Take(NumaAllocator allocator, int count)
    {
        var heap = allocator.OpenHeap();
        var blocks = new List<nint>(count);
        for (var i = 0; i < count; i++)
        {
            blocks.Add((nint)heap.Allocate(64));
        }

        return blocks;
    }

    private static bool Refuses<TException>(NumaHeap heap, HeapAction action)
        where TException : Exception
    {
        try
        {
            action(heap);
            return false;
        }
        catch (TException)
        {
            return true;
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private void UseAndForget()
    {
        var allocator = Create(TestMachines.WithIds(0, 2).Plan());
        Take(allocator, 1000).ForEach(block => allocator.Free((void*)block));
        TestThreads.Run(1, _ => allocator.Dispose());
        Assert.Equal(1, _memory.ReservationCount);
        Assert.Equal(1, allocator.CommittedBytes >> 20);
    }

    private NumaAllocator Create(NumaPlan plan) => new(plan, new NumaAllocatorOptions
    {
        Memory = _memory,
        Affinity = _threads,
        AddressSpacePerNode = 1L << 30,
    });

    private delegate void HeapAction(NumaHeap heap);
}
