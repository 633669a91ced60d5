using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <content>What is compared while no other thread does anything, and the end.</content>
internal sealed unsafe partial class AllocatorModel
{
    /// <summary>Whether one thread at a time does steps: then failures and wrong use can be judged exactly.</summary>
    public bool IsAlone { get; init; }

    /// <summary>Compares all there is; no thread is doing a step.</summary>
    public void CheckAll()
    {
        var blocks = _blocks.ToArray();
        foreach (var block in blocks)
        {
            block.AssertContent(block.Size);
            Assert.Equal(block.Usable, (long)_allocator.GetUsableSize((void*)block.Address));
            Assert.Equal(block.NodeId, _allocator.GetNodeId((void*)block.Address).Value);
        }

        var byNode = blocks.ToLookup(static block => block.NodeId);
        for (var node = 0; node < _setup.Nodes; node++)
        {
            var statistics = _allocator.GetStatistics(new(node));
            Assert.Equal(node, statistics.NodeId.Value);
            Assert.Equal(
                (byNode[node].LongCount(), byNode[node].Sum(static block => block.Usable)),
                (statistics.AllocatedBlocks, statistics.AllocatedBytes));
            Assert.InRange(statistics.CommittedBytes, statistics.AllocatedBytes, _setup.Limit > 0 ? _setup.Limit : long.MaxValue);
            Assert.Equal(_setup.Limit, statistics.LimitBytes);
        }

        Assert.Equal(blocks.Sum(static block => block.Usable), _allocator.AllocatedBytes);
        if (_setup.Checks == NumaMemoryCheckMode.Full)
        {
            Assert.Equal(blocks.Length, _allocator.GetLiveBlocks().Sum(static live => live.Blocks));
        }
    }

    /// <summary>Disposes with blocks in use; these are checked, and freed by <paramref name="free"/>, on any thread.</summary>
    public void End(Action<Action> free)
    {
        _commits.Add(0);
        _ownCommits.Add(0);
        _binds.Add(0);
        _allocator.Dispose();
        Assert.Throws<ObjectDisposedException>(() => (nint)_allocator.Allocate(1));
        Assert.Throws<ObjectDisposedException>(() => (nint)_allocator.AllocateAligned(1_000_000, 4096, new(0)));
        Assert.Throws<ObjectDisposedException>(() => { _allocator.OpenHeap(); });
        Assert.Equal(0, _allocator.Trim());
        while (_blocks.Count > 0)
        {
            free(() => Repeat(10, () => Free(0, null)));
        }
    }

    /// <summary>All threads have ended.</summary>
    public void AssertNothingIsLeft()
    {
        _allocator.Dispose();
        Assert.Equal((0L, 0L), (_allocator.AllocatedBytes, _allocator.CommittedBytes));
        Assert.Equal((0, 0, 0), (_memory.ReservationCount, _own.ReservationCount, _time.TimerCount));
        Assert.DoesNotContain(_fallbacks.Current, static fallback => fallback.Feature == "memory.damage");
        _seenNodes.Dispose();
    }
}
