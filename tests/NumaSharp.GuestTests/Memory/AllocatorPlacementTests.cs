using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Memory;

public sealed unsafe class AllocatorPlacementTests : ThreeNodeTests, IDisposable
{
    // A small run, a run of its own, the largest class, a mapping of its own.
    private static readonly nuint[] s_sizes = [100, 20_000, 262_144, 2_000_000];

    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaAllocator _allocator;

    public AllocatorPlacementTests() => _allocator = new NumaAllocator(
        NumaPlan.Create(NumaTopology.Instance), new NumaAllocatorOptions { Fallbacks = _fallbacks });

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Allocate_OnANodeFromAThreadOfAnother_EveryPageIsThere(int node)
    {
        TestThreads.RunOn(TheMachine.CpusFarFrom(node), () =>
        {
            foreach (var size in s_sizes)
            {
                var block = _allocator.Allocate(size, new(node));
                new Span<byte>(block, (int)size).Fill(1);
                Assert.Equal(node, _allocator.GetNodeId(block).Value);
                Pages.AssertOn(node, (nint)block, (long)size);
                _allocator.Free(block);
            }
        });
        Assert.Equal(0, _allocator.GetStatistics(new(node)).AllocatedBytes);
        Assert.Empty(_fallbacks.Current);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Allocate_WithoutANode_IsOnTheCallersNode(int node) => TestThreads.RunOn(TheMachine.CpusOf(node), () =>
    {
        foreach (var size in s_sizes)
        {
            var block = _allocator.AllocateZeroed(size);
            new Span<byte>(block, (int)size).Fill(1);
            Pages.AssertOn(node, (nint)block, (long)size);
            _allocator.Free(block);
        }
    });

    // Nothing pins it: within a second.
    [Fact]
    public void Allocate_CallerHasMovedToAnotherNode_FollowsIt() => TestThreads.RunOn(TheMachine.CpusOf(0), () =>
    {
        Assert.Equal(0, NodeOfNext());
        NumaPlatform.Default.Affinity.SetThreadCpus(TheMachine.CpusOf(1)).ThrowIfFailed("sched_setaffinity");
        Wait.Until(() => NodeOfNext() == 1);

        int NodeOfNext()
        {
            var block = _allocator.Allocate(100);
            *(byte*)block = 1;
            var node = Pages.NodeOf((nint)block);
            _allocator.Free(block);
            return node;
        }
    });

    [Fact]
    public void Free_OnAnotherNode_IsCountedAndGoesBackToItsOwner()
    {
        var address = TestThreads.RunOn(TheMachine.CpusOf(1), () => (nint)_allocator.Allocate(100));
        TestThreads.RunOn(TheMachine.CpusOf(0), () => _allocator.Free((void*)address));

        // Counted when it is passed back: the thread that has ended keeps it until then.
        _allocator.Trim();
        Assert.Equal((1L, 0L), (_allocator.GetStatistics(new(1)).RemoteFrees, _allocator.GetStatistics(new(0)).RemoteFrees));
        var again = TestThreads.RunOn(TheMachine.CpusOf(1), () => (nint)_allocator.Allocate(100));
        Assert.Equal(address, again);
        _allocator.Free((void*)again);
    }

    [Fact]
    public void Reallocate_FromAThreadOfAnotherNode_StaysOnItsNode()
    {
        var block = _allocator.Allocate(100, new(1));
        TestThreads.RunOn(TheMachine.CpusOf(0), () =>
        {
            var grown = _allocator.Reallocate(block, 1_000_000);
            new Span<byte>(grown, 1_000_000).Fill(1);
            Pages.AssertOn(1, (nint)grown, 1_000_000);
            _allocator.Free(grown);
        });
    }

    [Fact]
    public void Apply_MemoryOfAnotherNode_FreeRunsAreOfItAndBlocksInUseKeepTheirContent()
    {
        const int Size = 4096;
        const int Run = 64 * 1024;
        var plan = NumaPlan.Create(PoolPlacementTests.Machine("0-1"));
        using var allocator = new NumaAllocator(plan, new NumaAllocatorOptions { Fallbacks = _fallbacks });
        TestThreads.RunOn(TheMachine.CpusOf(1), () =>
        {
            var blocks = Take(1000, content: 1);
            Assert.All(blocks, static block => Pages.AssertOn(1, block, Size));
            var kept = blocks[500];
            blocks.Remove(kept);
            blocks.ForEach(block => allocator.Free((void*)block));
            allocator.Apply(plan.Adapt(PoolPlacementTests.Machine("0")).Plan);

            // All but the run of the one in use.
            blocks = Take(999, content: 2);
            var others = blocks.Where(block => Math.Abs(block - kept) >= Run).ToList();
            Assert.InRange(others.Count, 960, 999);
            Assert.All(others, static block => Pages.AssertOn(0, block, Size));

            // Where it is, is the kernel's business: it may make a huge page of it and its neighbours (khugepaged).
            Assert.Equal(-1, new Span<byte>((void*)kept, Size).IndexOfAnyExcept((byte)1));
            blocks.ForEach(block => allocator.Free((void*)block));
            allocator.Free((void*)kept);
        });
        Assert.Empty(_fallbacks.Current);

        List<nint> Take(int count, byte content)
        {
            var blocks = Enumerable.Range(0, count).Select(_ => (nint)allocator.Allocate(Size, new(1))).ToList();
            blocks.ForEach(block => new Span<byte>((void*)block, Size).Fill(content));
            return blocks;
        }
    }

    public void Dispose() => _allocator.Dispose();
}
