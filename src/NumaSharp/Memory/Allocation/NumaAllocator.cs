using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;
using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <summary>
/// Allocates native memory on NUMA nodes. Each node has one contiguous address range, so the owner of a block follows from
/// its address, and a block freed by any thread goes back to its own node (NUMAlloc, ISMM 2023). Blocks are 16-byte aligned;
/// sizes to 256 KiB come in classes, eight per doubling, larger ones get a mapping of their own. Thread-safe.
/// </summary>
/// <remarks>
/// A thread keeps free blocks of each size that it uses, at most about 512 KiB each, and allocates and frees there without a lock
/// or an atomic operation. The content of a new block is arbitrary unless zeros were requested. The allocator's own data is not
/// in the blocks. An address that is in no block is always refused; freeing twice, or an address within a block, is as harmful as
/// with free(3).
/// </remarks>
public sealed unsafe partial class NumaAllocator : IDisposable
{
    /// <summary>The largest pages in bytes that a memory provider may have: what ranges are multiples of.</summary>
    internal const int MaxPageSize = AllocatorRange.Alignment;

    // A bin's number has 16 bits.
    private static readonly int s_maxNodes = (ushort.MaxValue / SizeClasses.Count) - 1;

    // No thread's gate value, and no heap's.
    private const long Closed = -1;

    private static long s_lastGate;

    private readonly long _heapGate = Interlocked.Increment(ref s_lastGate);
    private readonly nint _rangeStart;
    private readonly nuint _rangeSize;
    private readonly ushort* _map;
    private readonly AllocatorRange _range;
    private readonly NativeRegion _mapRegion;
    private readonly MagazineStore _store;
    private readonly AllocatorNode[] _nodes;
    private readonly INumaAffinityProvider _affinity;
    private readonly NumaNodeId[] _nodeIds;
    private readonly NumaNodeAllocator[] _nodeAllocators;
    private readonly int _slot;

    // Compared by a thread's fast path: changes now and then, so that every thread takes the slow path once and checks where it
    // runs. The gate of the heaps stays the same until it is closed.
    private long _gate = Closed;
    private long _heapsGate = Closed;
    private NumaPlan _plan;
    private CurrentNode _current;

    private readonly Lock _largeLock = new();
    private readonly Dictionary<nint, LargeBlock> _large = [];

    private readonly BlockGuard? _guard;

    /// <summary>Creates an allocator; memory is taken when it is allocated, address space at once.</summary>
    /// <param name="plan">The nodes, and how memory is bound.</param>
    /// <param name="options">The rest; the defaults where it is <see langword="null"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="ArgumentException">The memory provider's pages are larger than 2 MiB.</exception>
    /// <exception cref="OutOfMemoryException">The system gives no address space.</exception>
    public NumaAllocator(NumaPlan plan, NumaAllocatorOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        options ??= new NumaAllocatorOptions();
        options.Validate();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(plan.Nodes.Count, s_maxNodes, nameof(plan));
        _guard = BlockGuard.Create(this, options);
        var memory = GuardedMemory(options.Memory ?? NumaPlatform.Default.Memory);
        var ownMemory = GuardedMemory(options.OwnMemory ?? NumaPlatform.Default.Memory);
        if (memory.PageSize > MaxPageSize)
        {
            throw new ArgumentException(
                $"The memory provider {memory.Name} has pages of {memory.PageSize} bytes; "
                + $"the allocator takes pages of at most {MaxPageSize} bytes.",
                nameof(options));
        }

        (_plan, _affinity) = (plan, options.Affinity ?? NumaPlatform.Default.Affinity);
        _current = new CurrentNode(plan, _affinity);
        _nodeIds = [.. plan.Nodes.Select(static node => node.NodeId)];
        _range = AllocatorRange.Reserve(memory, plan.Nodes.Count, (nuint)options.AddressSpacePerNode);
        (_rangeStart, _rangeSize) = (_range.StartOf(0), _range.Size);
        try
        {
            _store = new MagazineStore(ownMemory);
            _mapRegion = ReserveMap(ownMemory);
            _map = (ushort*)_mapRegion.Start;
            _nodes = [.. plan.Nodes.Select(node => CreateNode(plan, node, options, memory))];
            _nodeAllocators = [.. plan.Nodes.Select(node => new NumaNodeAllocator(this, node.NodeIndex, node.NodeId))];
            _slot = ThreadSlotIds.Take();
            OpenGate();
            _keepBytes = options.KeepPerNode;
            (_renewing, _trimmer, _homeTimer) = CreateTimers(options);
        }
        catch
        {
            // No memory, no thread for a timer, or what a provider throws: the caller gets no allocator to dispose of.
            _mapRegion?.Dispose();
            _store?.Dispose();
            _range.Dispose();
            throw;
        }
    }

    internal int CurrentIndex => _current.Index;

    /// <summary>The part of one node, for code that is written for it.</summary>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The same object each time.</returns>
    public NumaNodeAllocator ForNode(NumaNodeId nodeId) => _nodeAllocators[FindNode(nodeId)];

    /// <summary>The calling thread's heap, for loops: operations on it need not find it first.</summary>
    /// <returns>The heap.</returns>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public NumaHeap OpenHeap()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        return new(this, EnterHeap());
    }

    /// <summary>Allocates a block on the node that the calling thread runs on.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void* Allocate(nuint size)
    {
        // Refusals first: the compiler then keeps the way through free of what only calls need.
        if (HeapSlots.Gate != Volatile.Read(ref _gate) || size - 1 >= SizeClasses.Largest)
        {
            return AllocateSlow(size);
        }

        var bin = HeapSlots.HomeOrigin + SizeClasses.CodeOf(size);
        var top = bin->Top;
        if (top == bin->Bottom)
        {
            return AllocateSlow(size);
        }

        bin->Top = --top;
        var block = (void*)*top;
        GC.KeepAlive(this);
        return block;
    }

    /// <summary>Allocates a block on a node.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Allocate(nuint size, NumaNodeId nodeId) => AllocateOn(FindNode(nodeId), size);

    /// <summary>Allocates a block of zeros on the node that the calling thread runs on.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateZeroed(nuint size) => AllocateZeroedOn(_current.Index, size);

    /// <summary>Allocates a block of zeros on a node.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateZeroed(nuint size, NumaNodeId nodeId) => AllocateZeroedOn(FindNode(nodeId), size);

    /// <summary>Allocates a block at a multiple of an alignment on the node that the calling thread runs on.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="alignment">A power of two; at least 16 is given in any case.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="ArgumentException">The alignment is not a power of two.</exception>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateAligned(nuint size, nuint alignment) => AllocateAlignedOn(_current.Index, size, alignment);

    /// <summary>Allocates a block at a multiple of an alignment on a node.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="alignment">A power of two; at least 16 is given in any case.</param>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="ArgumentException">The alignment is not a power of two.</exception>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateAligned(nuint size, nuint alignment, NumaNodeId nodeId) =>
        AllocateAlignedOn(FindNode(nodeId), size, alignment);

    /// <summary>
    /// Resizes a block: in place if its size class fits, otherwise in a new block on the same node. The content up to the smaller
    /// size is kept; an alignment above 16 is not.
    /// </summary>
    /// <param name="pointer">The block, which must not be used any more; <see langword="null"/> allocates.</param>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block.</returns>
    /// <exception cref="InvalidOperationException">No block of this allocator starts there.</exception>
    /// <exception cref="OutOfMemoryException">There is no memory; the old block is as it was.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Reallocate(void* pointer, nuint size) =>
        pointer is null ? Allocate(size) : Resize(pointer, size, nodeIndex: null);

    /// <summary>The same, but a block that moves, or that another node owns, becomes one of a node.</summary>
    internal void* ReallocateOn(int nodeIndex, void* pointer, nuint size) =>
        pointer is null ? AllocateOn(nodeIndex, size) : Resize(pointer, size, nodeIndex);

    private void* Resize(void* pointer, nuint size, int? nodeIndex)
    {
        var usable = GetUsableSize(pointer);
        if (size <= usable && Fits(size, usable) && _guard is not { AlwaysMoves: true }
            && (nodeIndex is not { } wanted || wanted == OwnerOf((nint)pointer)))
        {
            return pointer;
        }

        var moved = AllocateOn(nodeIndex ?? OwnerOf((nint)pointer), size);
        Buffer.MemoryCopy(pointer, moved, size, Math.Min(usable, size));
        try
        {
            Free(pointer);
        }
        catch
        {
            // A check, a provider or a handler threw: the caller gets nothing, so nothing may leak.
            Free(moved);
            throw;
        }

        return moved;
    }

    // More than half of it is needed, or nothing smaller could be had.
    private bool Fits(nuint size, nuint usable) => size > usable / 2 || usable == SizeClasses.Granule
        || (size > SizeClasses.Largest && usable == _nodes[0].PageSize);

    /// <summary>Frees a block, from any thread, also after the allocator was disposed.</summary>
    /// <param name="pointer">The block; <see langword="null"/> does nothing, as free(3).</param>
    /// <exception cref="InvalidOperationException">The address is in no block of this allocator.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Free(void* pointer)
    {
        if (HeapSlots.Gate != Volatile.Read(ref _gate))
        {
            FreeSlow((nint)pointer);
            return;
        }

        var offset = (nuint)((nint)pointer - _rangeStart);
        if (offset >= _rangeSize)
        {
            FreeSlow((nint)pointer);
            return;
        }

        var bin = HeapSlots.Bins + _map[offset >> AllocatorChunk.SmallRunShift];
        var top = bin->Top;
        if (top == bin->Limit)
        {
            FreeSlow((nint)pointer);
            return;
        }

        *top = (nint)pointer;
        bin->Top = top + 1;
        GC.KeepAlive(this);
    }

    /// <summary>How many bytes of a block can be used: at least what was requested.</summary>
    /// <param name="pointer">The block.</param>
    /// <returns>Bytes.</returns>
    /// <exception cref="ArgumentNullException">The pointer is null.</exception>
    /// <exception cref="InvalidOperationException">No block of this allocator starts there.</exception>
    public nuint GetUsableSize(void* pointer)
    {
        ArgumentNullException.ThrowIfNull(pointer);
        var address = (nint)pointer;
        return _guard is not null ? _guard.UsableSizeOf(address)
            : FindRun(address) is { } run && run.IsBlock(address) ? (nuint)run.Central.BlockSize
            : FindLarge(address) is { } large ? large.Length
            : throw NotABlock(address);
    }

    /// <summary>Gets the node that a block belongs to; the bind mode decides where its pages are.</summary>
    /// <param name="pointer">A block, or any address inside one of at most 256 KiB.</param>
    /// <returns>The kernel id of the node.</returns>
    /// <exception cref="ArgumentNullException">The pointer is null.</exception>
    /// <exception cref="InvalidOperationException">The address is not this allocator's.</exception>
    public NumaNodeId GetNodeId(void* pointer)
    {
        ArgumentNullException.ThrowIfNull(pointer);
        return _nodes[OwnerOf((nint)pointer)].NodeId;
    }

    /// <summary>
    /// The blocks in use by the place in the code that allocated them, those with the most bytes first. A snapshot. If some are
    /// left at <see cref="Dispose"/>, the allocator reports them as the fallback <c>memory.leak</c>.
    /// </summary>
    /// <returns>One item per place and node.</returns>
    /// <exception cref="InvalidOperationException">
    /// The allocator was created without <see cref="NumaMemoryCheckMode.Full"/>, and does not record this.
    /// </exception>
    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks() => _guard is BlockChecks checks
        ? checks.GetLiveBlocks()
        : throw new InvalidOperationException(
            $"Where blocks were allocated is recorded only with {nameof(NumaAllocatorOptions)}."
            + $"{nameof(NumaAllocatorOptions.Checks)} = {nameof(NumaMemoryCheckMode.Full)}.");

    internal static InvalidOperationException NotABlock(nint address) => new(
        $"0x{address:x} is not the start of a block that this allocator has in use: "
        + "it was already freed, points inside a block, or is not from this allocator.");

    internal void* AllocateOn(int nodeIndex, nuint size)
    {
        return size - 1 < SizeClasses.Largest
            ? AllocateClass(nodeIndex, SizeClasses.ClassOf(size), size)
            : AllocateSlow(size, nodeIndex);
    }

    // Inlined, so that the size stays in its register.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void* AllocateClass(int nodeIndex, int sizeClass, nuint size)
    {
        if (HeapSlots.Gate == Volatile.Read(ref _gate))
        {
            var bin = HeapSlots.Bins + ThreadHeap.BinOf(nodeIndex, sizeClass);
            var top = bin->Top;
            if (top != bin->Bottom)
            {
                bin->Top = --top;
                var block = *top;
                GC.KeepAlive(this);
                return (void*)block;
            }
        }

        return _guard is null ? (void*)TakeSmall(nodeIndex, sizeClass) : _guard.Allocate(nodeIndex, size, 1);
    }

    internal void* AllocateZeroedOn(int nodeIndex, nuint size)
    {
        if (size > SizeClasses.Largest)
        {
            // Fresh pages are zero; with a guard all are fresh.
            if (_guard is not null)
            {
                return _guard.Allocate(nodeIndex, size, 1);
            }

            var large = AllocateLarge(nodeIndex, size, 1);
            if (large.IsUsed)
            {
                NativeMemory.Clear((void*)large.Address, size);
            }

            return (void*)large.Address;
        }

        var block = AllocateOn(nodeIndex, size);
        NativeMemory.Clear(block, size);
        return block;
    }

    internal void* AllocateAlignedOn(int nodeIndex, nuint size, nuint alignment)
    {
        if (!BitOperations.IsPow2(alignment))
        {
            throw new ArgumentException($"The alignment is {alignment}; it must be a power of two.", nameof(alignment));
        }

        if (_guard is not null)
        {
            return _guard.Allocate(nodeIndex, size, alignment);
        }

        return Math.Max(size, alignment) > SizeClasses.Largest
            ? (void*)AllocateLarge(nodeIndex, size, alignment).Address
            : AllocateClass(nodeIndex, AlignedClassOf(size, alignment), size);
    }

    // A run starts at a multiple of its size, and its blocks side by side at multiples of theirs; coloured ones a line further.
    private static int AlignedClassOf(nuint size, nuint alignment)
    {
        var sizeClass = SizeClasses.ClassOf(Math.Max(size, 1));
        while (alignment > SizeClasses.Granule && (nuint)SizeClasses.SizeOf(sizeClass) % alignment != 0)
        {
            sizeClass++;
        }

        return alignment <= SizeClasses.Colour ? sizeClass : SizeClasses.PlainOf(sizeClass);
    }

    private LargeBlock AllocateLarge(int nodeIndex, nuint size, nuint alignment)
    {
        var block = TakeLarge(_nodes[nodeIndex], size, alignment);
        var isListed = false;
        try
        {
            using (UninterruptedLock.Enter(_largeLock))
            {
                _large.Add(block.Address, block);
            }

            isListed = true;
            return block;
        }
        finally
        {
            if (!isListed)
            {
                block.Node.Large.Free(block);
            }
        }
    }

    private LargeBlock TakeLarge(AllocatorNode node, nuint size, nuint alignment)
    {
        var block = node.Large.Allocate(node, size, alignment, out var failure);
        if (block is null)
        {
            TrimUnchecked();
            block = node.Large.Allocate(node, size, alignment, out failure) ?? throw node.OutOfMemory(size, failure);
        }

        return block;
    }

    private bool FreeLarge(nint address)
    {
        LargeBlock? block;
        using (UninterruptedLock.Enter(_largeLock))
        {
            if (!_large.Remove(address, out block))
            {
                return false;
            }
        }

        if (block.Node.Index != _current.Index)
        {
            block.Node.CountRemoteFrees(1);
        }

        block.Node.Large.Free(block);
        return true;
    }

    internal LargeBlock? FindLarge(nint address)
    {
        lock (_largeLock)
        {
            return _large.GetValueOrDefault(address);
        }
    }

    internal AllocatorRun? FindRun(nint address) =>
        _range.IndexOf(address) is >= 0 and var index ? _nodes[index].FindRun(address) : null;

    private int OwnerOf(nint address) =>
        _range.IndexOf(address) is >= 0 and var index ? index
        : FindLarge(address) is { } block ? block.Node.Index
        : throw NotABlock(address);

    private int FindNode(NumaNodeId nodeId)
    {
        var index = Array.IndexOf(_nodeIds, nodeId);
        return index >= 0 ? index : _plan.GetNearestNode(nodeId).NodeIndex;
    }

    // The checked and the hardened mode: the gate stays closed, so that every call takes the slow path, which calls the guard.

    /// <summary>A block as without a guard.</summary>
    internal nint AllocateUnguarded(int nodeIndex, nuint size, nuint alignment) =>
        Math.Max(size, alignment) > SizeClasses.Largest ? AllocateLarge(nodeIndex, size, alignment).Address
        : TakeSmall(
            nodeIndex,
            alignment > SizeClasses.Granule
                ? AlignedClassOf(size, alignment)
                : SizeClasses.ClassOf(Math.Max(size, 1)));

    /// <summary>A block with a mapping of its own, whatever its size.</summary>
    internal LargeBlock AllocateLargeUnguarded(int nodeIndex, nuint size, nuint alignment) =>
        AllocateLarge(nodeIndex, size, alignment);

    /// <summary>Whether the address is where small blocks are.</summary>
    internal bool IsInRange(nint address) => _range.IndexOf(address) >= 0;

    internal NumaNodeId NodeIdOf(int nodeIndex) => _nodeIds[nodeIndex];

    private NumaAllocatorStatistics StatisticsOf(AllocatorNode node)
    {
        var statistics = node.GetStatistics(Volatile.Read(ref _heaps));
        return _guard?.Correct(node.Index, statistics) ?? statistics;
    }

    private INumaMemoryProvider GuardedMemory(INumaMemoryProvider memory) =>
        _guard is null ? memory : new GuardPageMemory(memory);
}
