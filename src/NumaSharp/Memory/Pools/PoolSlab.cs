using System.Collections;
using System.Numerics;
using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// A reservation that is committed chunk by chunk and cut into blocks of one size class, or has one block. Guarded by its pool's
/// lock.
/// </summary>
internal sealed class PoolSlab
{
    // What FirstToucher touches in one part: it undoes the parts before one that fails.
    private const nuint MostRenewed = 1 << 20;

    /// <summary>
    /// Its free blocks that no thread keeps. There is room for all, so that none is lost on its way for want of memory.
    /// </summary>
    public BlockStack Free;

    /// <summary>
    /// Whether a thread that has returned its only block is giving it back. Cleared without a lock, once that is done.
    /// </summary>
    public bool IsLeaving;

    private readonly int _colours;
    private readonly int _groupShift;
    private nuint _end;
    private BitArray? _oldPages;
    private nuint _pageSize;

    // By block: weak, and cleared when the owner is gone for good. None before the block exists, nor once it is back for good.
    private readonly GCHandle[] _owners;

    public PoolSlab(nint address, nuint size, nuint stride, int colours)
    {
        Address = address;
        Size = size;
        Stride = stride;
        _colours = colours;
        Capacity = (int)(size / stride);
        _groupShift = Math.Max(0, BitOperations.Log2((uint)Capacity) - 2);
        _owners = new GCHandle[Capacity];
        Free = new BlockStack(Capacity);
    }

    public nint Address { get; }

    public nuint Size { get; }

    /// <summary>How far blocks are apart, in bytes.</summary>
    public nuint Stride { get; }

    public nuint CommittedBytes => _end;

    public nint NextUncommitted => Address + (nint)_end;

    /// <summary>Whether it has been returned to the system.</summary>
    public bool IsReleased { get; set; }

    public int Capacity { get; }

    public int Carved { get; private set; }

    public int Remaining => Capacity - Carved;

    /// <summary>Its group by its free blocks (<see cref="FreeSlabs"/>). No division: evaluated for each block.</summary>
    public int GroupOfFree => Free.Count switch
    {
        0 => FreeSlabs.None,
        var free when free == Carved => FreeSlabs.Whole,
        var free => Math.Min(free >> _groupShift, FreeSlabs.Whole - 1),
    };

    /// <summary>Where it is listed, with its neighbours there.</summary>
    public int Group { get; set; } = FreeSlabs.None;

    /// <summary>
    /// With fewer free blocks than that it stays where it is listed, if it gets more. Noted whenever it is listed.
    /// </summary>
    public int NextGroupAt { get; private set; }

    public PoolSlab? Next { get; set; }

    public PoolSlab? Previous { get; set; }

    /// <summary>Whether it has been wholly free since the last tick.</summary>
    public bool IsIdle { get; set; }

    /// <summary>Whether its blocks are no longer rented: it is about to be released.</summary>
    public bool IsRetired { get; set; }

    /// <summary>
    /// Whether pages are of the former source: guarded by the lock that the pool moves under, like everything about pages.
    /// </summary>
    public bool HasOldPages => _oldPages is not null;

    public void NoteNextGroup() =>
        NextGroupAt = Math.Min(
            Carved, Group < FreeSlabs.Whole - 1 ? Math.Max(1, (Group + 1) << _groupShift) : int.MaxValue);

    /// <summary>How many bytes must be committed for the next <paramref name="count"/> blocks, in units of some size.</summary>
    public nuint BytesFor(int count, nuint unit)
    {
        var end = (((nuint)(Carved + count) * Stride) + unit - 1) & ~(unit - 1);
        return Math.Max(Math.Min(end, Size), _end) - _end;
    }

    /// <summary>Where a block begins.</summary>
    public nint BlockAt(int index) => PlaceAt(index) + (index % _colours * PoolSizeClass.CacheLine);

    public int IndexOf(nint block) => (int)((nuint)(block - Address) / Stride);

    /// <summary>Where the place of a block begins, a stride long: no other block has any of it.</summary>
    public nint PlaceOf(NumaMemoryBlock block) => PlaceAt(IndexOf(block.Address));

    /// <summary>Takes the next blocks, and the bytes that are to be committed for them.</summary>
    /// <returns>The first block.</returns>
    public nint Carve(int count, nuint bytes)
    {
        var first = BlockAt(Carved);
        Carved += count;
        _end += bytes;
        return first;
    }

    /// <summary>The bytes were not committed: gives back what was taken last.</summary>
    public void Uncarve(int count, nuint bytes)
    {
        Carved -= count;
        _end -= bytes;
    }

    /// <summary>The source of memory has changed: all pages are old.</summary>
    public void MarkPagesOld(nuint pageSize)
    {
        _pageSize = pageSize;
        _oldPages = _end > 0 ? new BitArray((int)(_end / pageSize), defaultValue: true) : null;
    }

    /// <summary>
    /// Exchanges the old pages of free blocks, out of circulation meanwhile, for new ones. A page that a block in use shares
    /// stays until that is free.
    /// </summary>
    /// <param name="blocks">
    /// The blocks; the highest address comes first afterwards, so that the lowest is on top of a stack.
    /// </param>
    /// <param name="memory">The memory that the pages belong to.</param>
    /// <param name="checks">Forgets the content that goes.</param>
    /// <returns>False if the system gives up no page before the whole slab: old pages stay as they are.</returns>
    public bool TryRenew(NumaMemoryBlock[] blocks, NodeMemory memory, PoolChecks? checks)
    {
        Array.Sort(blocks, static (x, y) => y.Address.CompareTo(x.Address));
        for (var (first, next) = (0, 0); first < blocks.Length; first = next)
        {
            // Blocks side by side.
            for (next = first + 1; next < blocks.Length && EndOf(blocks[next]) == PlaceOf(blocks[next - 1]);)
            {
                next++;
            }

            if (!TryRenew(PlaceOf(blocks[next - 1]), EndOf(blocks[first]), memory, checks))
            {
                _oldPages = null;
                return false;
            }
        }

        if (_oldPages?.HasAnySet() == false)
        {
            _oldPages = null;
        }

        return true;
    }

    // The old pages that are wholly within the range, or committed behind the last block where the range ends with it.
    private bool TryRenew(nint start, nint end, NodeMemory memory, PoolChecks? checks)
    {
        var old = _oldPages!;
        var last = end == PlaceAt(Carved) ? old.Length : Math.Min(old.Length, (int)((nuint)(end - Address) / _pageSize));
        var most = (int)nuint.Max(1, MostRenewed / _pageSize);
        for (var page = (int)(((nuint)(start - Address) + _pageSize - 1) / _pageSize); page < last;)
        {
            var count = 0;
            while (page + count < last && count < most && old[page + count])
            {
                count++;
            }

            if (count == 0)
            {
                page++;
                continue;
            }

            checks?.Forget(start, (nuint)(end - start));
            if (!memory.TryReplace(Address + (nint)((nuint)page * _pageSize), (nuint)count * _pageSize))
            {
                return false;
            }

            for (; count > 0; count--)
            {
                old[page++] = false;
            }
        }

        return true;
    }

    /// <summary>Notes the owners of new blocks.</summary>
    public void Track(ReadOnlySpan<NumaMemoryBlock> owners)
    {
        foreach (var owner in owners)
        {
            Track(owner);
        }
    }

    /// <summary>
    /// Notes the owner of a block. Needs no lock where the block has had one that lives: no other thread touches its handle.
    /// </summary>
    public void Track(NumaMemoryBlock owner)
    {
        ref var handle = ref _owners[IndexOf(owner.Address)];
        if (handle.IsAllocated)
        {
            handle.Target = owner;
        }
        else
        {
            handle = GCHandle.Alloc(owner, GCHandleType.WeakTrackResurrection);
        }
    }

    /// <summary>A block is back for good: the end of its owner no longer matters.</summary>
    public void Untrack(NumaMemoryBlock owner) => FreeHandle(ref _owners[IndexOf(owner.Address)]);

    public void UntrackAll()
    {
        foreach (ref var handle in _owners.AsSpan())
        {
            FreeHandle(ref handle);
        }
    }

    /// <summary>The addresses of the blocks with owners that the collector has taken.</summary>
    public IEnumerable<nint> FindAbandoned()
    {
        for (var i = 0; i < Carved; i++)
        {
            if (_owners[i].IsAllocated && _owners[i].Target is null)
            {
                yield return BlockAt(i);
            }
        }
    }

    private static void FreeHandle(ref GCHandle handle)
    {
        if (handle.IsAllocated)
        {
            handle.Free();
        }
    }

    private nint EndOf(NumaMemoryBlock block) => PlaceOf(block) + (nint)Stride;

    private nint PlaceAt(int index) => Address + (nint)((nuint)index * Stride);
}

/// <summary>A part of a slab that is about to become blocks: charged to the limit, not committed yet.</summary>
/// <param name="Slab">The slab.</param>
/// <param name="Start">The start of the memory to commit.</param>
/// <param name="Bytes">How much; 0 if committed memory has room for the blocks.</param>
/// <param name="First">The lowest block.</param>
/// <param name="Count">How many blocks.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct PoolGrowth(PoolSlab Slab, nint Start, nuint Bytes, nint First, int Count);
