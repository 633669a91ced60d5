using System.Numerics;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <content>Blocks come, change and go.</content>
internal sealed unsafe partial class AllocatorModel
{
    private bool IsGuarded => _setup.Checks != NumaMemoryCheckMode.None;

    private void TryAllocate(ModelStep step)
    {
        var size = step.Size;
        var refused = _commits.Refused + _binds.Refused;
        try
        {
            var block = (nint)Allocate(step, out var alignment, out var nodeId);
            Assert.True((nuint)block % Math.Max(alignment, 16) == 0, $"0x{block:x} is not aligned to {alignment}.");
            if (step.Action is ModelAction.AllocateZeroed or ModelAction.AllocateZeroedOn)
            {
                Assert.False(new Span<byte>((void*)block, size).ContainsAnyExcept((byte)0), $"{size} bytes are not zero.");
            }

            Add(block, size, nodeId, alignment);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or NumaException)
        {
            AssertMayFail(exception, size, refused);
        }
    }

    private void* Allocate(ModelStep step, out nuint alignment, out int? nodeId)
    {
        var size = (nuint)step.Size;
        var node = step.Node % (_setup.Nodes + 1);
        alignment = 1;
        nodeId = null;
        switch (step.Action)
        {
            case ModelAction.AllocateOn:
                nodeId = node;
                return _allocator.Allocate(size, new(node));
            case ModelAction.AllocateZeroed:
                return _allocator.AllocateZeroed(size);
            case ModelAction.AllocateZeroedOn:
                nodeId = node;
                return _allocator.AllocateZeroed(size, new(node));
            case ModelAction.AllocateAligned:
                alignment = (nuint)1 << (step.Pick % 20);
                return _allocator.AllocateAligned(size, alignment);
            case ModelAction.AllocateAlignedOn:
                alignment = (nuint)1 << (step.Pick % 22);
                nodeId = node;
                return _allocator.AllocateAligned(size, alignment, new(node));
            case ModelAction.AllocateForNode:
                alignment = (nuint)1 << (step.Pick % 14);
                nodeId = _allocator.ForNode(new(node)).NodeId.Value;
                return _allocator.ForNode(new(node)).AllocateAligned(size, alignment);
            case ModelAction.ReallocateNull:
                return _allocator.Reallocate(null, size);
            default:
                return _allocator.Allocate(size);
        }
    }

    private void Add(nint address, int size, int? nodeId, nuint alignment = 1)
    {
        var usable = (long)_allocator.GetUsableSize((void*)address);
        Assert.InRange(usable, size, (size * 5L / 4) + (long)Math.Max(alignment, 4096));
        var owner = _allocator.GetNodeId((void*)address).Value;
        Assert.InRange(owner, 0, _setup.Nodes - 1);
        Assert.True(
            nodeId is null ? _seenNodes.Value!.Contains(owner) : nodeId == owner || nodeId == _setup.Nodes,
            $"On node {owner}, and not on {nodeId}.");
        var mark = (byte)(1 + (Interlocked.Increment(ref _marks) % 255));
        new Span<byte>((void*)address, size).Fill(mark);
        _blocks.Add(new ModelBlock(address, size, usable, owner, mark));
    }

    private void Reallocate(int pick, int size)
    {
        if (!_blocks.TryTake(pick, out var block))
        {
            return;
        }

        var refused = _commits.Refused + _binds.Refused;
        try
        {
            var moved = (nint)_allocator.Reallocate((void*)block.Address, (nuint)size);
            (block with { Address = moved }).AssertContent(Math.Min(size, block.Size));
            Add(moved, size, block.NodeId, (nuint)Math.Max(size, block.Usable));
        }
        catch (Exception exception) when (exception is OutOfMemoryException or NumaException)
        {
            AssertMayFail(exception, size, refused);
            _blocks.Add(block);
        }
    }

    private void Free(int pick, NumaNodeAllocator? node)
    {
        if (_blocks.TryTake(pick, out var block))
        {
            block.AssertContent(block.Size);
            if (node is null)
            {
                _allocator.Free((void*)block.Address);
            }
            else
            {
                node.Free((void*)block.Address);
            }
        }
    }

    private void LoopOnHeap(int count, int size)
    {
        var heap = _allocator.OpenHeap();
        var refused = _commits.Refused + _binds.Refused;
        for (var i = 0; i < count; i++)
        {
            try
            {
                Add((nint)heap.Allocate((nuint)size), size, null);
            }
            catch (Exception exception) when (exception is OutOfMemoryException or NumaException)
            {
                AssertMayFail(exception, size, refused);
            }

            if (_blocks.TryTake(size + (i * 7), out var block))
            {
                block.AssertContent(block.Size);
                heap.Free((void*)block.Address);
            }
        }
    }

    private void Query(int pick)
    {
        if (_blocks.TryTake(pick, out var block))
        {
            block.AssertContent(block.Size);
            Assert.Equal(block.Usable, (long)_allocator.GetUsableSize((void*)block.Address));
            Assert.Equal(block.NodeId, _allocator.GetNodeId((void*)block.Address).Value);
            _blocks.Add(block);
        }
    }

    private void FreeWrongly(int pick)
    {
        byte onStack;
        var foreign = &onStack;
        Assert.Throws<InvalidOperationException>(() => _allocator.Free(foreign));
        Assert.Throws<InvalidOperationException>(() => (nint)_allocator.Reallocate(foreign, 1));
        if (!_blocks.TryTake(pick, out var block))
        {
            return;
        }

        var inside = (byte*)block.Address + 1;
        Assert.Throws<InvalidOperationException>(() => _allocator.GetUsableSize(inside));
        if (IsGuarded)
        {
            Assert.Throws<InvalidOperationException>(() => _allocator.Free(inside));
        }

        if (!IsGuarded || !IsAlone)
        {
            _blocks.Add(block);
            return;
        }

        _allocator.Free((void*)block.Address);
        Assert.Throws<InvalidOperationException>(() => _allocator.Free((void*)block.Address));
        Assert.Throws<InvalidOperationException>(() => (nint)_allocator.Reallocate((void*)block.Address, 1));
    }

    // Failures are the system's, or the limit's when everything that is free has been used.
    private void AssertMayFail(Exception exception, int size, int refusedBefore)
    {
        Assert.True(exception is OutOfMemoryException || _setup.Mode == NumaBindMode.Strict, exception.ToString());
        if (_commits.Refused + _binds.Refused > refusedBefore)
        {
            return;
        }

        Assert.True(_setup.Limit > 0, $"Without a reason: {exception}");
        if (!IsAlone)
        {
            return;
        }

        var needed = Math.Max(Chunk, BitOperations.RoundUpToPowerOf2((uint)size));
        Assert.Contains(
            Enumerable.Range(0, _setup.Nodes).Select(id => _allocator.GetStatistics(new(id))),
            node => exception.Message.Contains($"node {node.NodeId} ", StringComparison.Ordinal)
                && node.CommittedBytes + needed > _setup.Limit);
    }
}
