using System.Numerics;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The unit in which a node's range is bound and committed: free, one large run, or up to 16 small ones. Guarded by its
/// node's lock; the runs are read without it.
/// </summary>
internal sealed class AllocatorChunk
{
    public const int Size = 1 << SizeShift;
    public const int SmallRunShift = 16;
    public const int SmallRunSize = 1 << SmallRunShift;

    // Blocks above it get a run that fills a chunk.
    public const int LargestInSmallRun = SmallRunSize / 8;

    private const int SizeShift = 20;
    private const int SmallRuns = Size / SmallRunSize;
    private const uint AllFree = (1u << SmallRuns) - 1;

    // A large run is in every slot.
    private readonly AllocatorRun?[] _runs = new AllocatorRun?[SmallRuns];
    private readonly int _bytes;
    private uint _freeMask = AllFree;
    private uint _oldMask;

    /// <param name="start">The first address.</param>
    /// <param name="bytes">The usable part of <see cref="Size"/>: all, or all but a guard at the end.</param>
    public AllocatorChunk(nint start, int bytes)
    {
        Start = start;
        _bytes = bytes;
    }

    public nint Start { get; }

    public bool IsFree => _freeMask == AllFree;

    public bool HasSmallRoom => _freeMask != 0;

    /// <summary>Its index in the node's list of chunks with small room.</summary>
    public int ListIndex { get; set; }

    /// <summary>Whether it is one of the node's: its address space has been bound.</summary>
    public bool IsBound { get; set; }

    /// <summary>False before the first use and after a trim.</summary>
    public bool IsCommitted
    {
        get;
        set
        {
            // The next pages come from the source of that time.
            field = value;
            _oldMask = 0;
        }
    }

    /// <summary>Whether small runs, or a large one, have pages of the former source.</summary>
    public bool HasOldPages => _oldMask != 0;

    public AllocatorRun? RunAt(nint address) => Volatile.Read(ref _runs[(int)((address - Start) >> SmallRunShift)]);

    /// <summary>The bytes at the end of a chunk that get no access: a page, if a small run is several of them.</summary>
    public static int GuardSizeFor(nuint pageSize) => pageSize <= SmallRunSize / 4 ? (int)pageSize : 0;

    public AllocatorRun TakeLarge(SizeCentral central)
    {
        _freeMask = 0;
        var run = new AllocatorRun(central, this, Start, _bytes);
        foreach (ref var slot in _runs.AsSpan())
        {
            Volatile.Write(ref slot, run);
        }

        return run;
    }

    public AllocatorRun TakeSmall(SizeCentral central)
    {
        var slot = BitOperations.TrailingZeroCount(_freeMask);
        _freeMask &= ~(1u << slot);
        var offset = slot * SmallRunSize;
        var run = new AllocatorRun(central, this, Start + offset, Math.Min(SmallRunSize, _bytes - offset));
        Volatile.Write(ref _runs[slot], run);
        return run;
    }

    /// <summary>The source of memory has changed: all pages are old, if there are any.</summary>
    public void MarkPagesOld() => _oldMask = IsCommitted ? AllFree : 0;

    /// <summary>All pages are about to be given up, or cannot be.</summary>
    public void ForgetOldPages() => _oldMask = 0;

    /// <summary>
    /// Takes the free small runs with old pages out of circulation until <see cref="PutBack"/>. They no longer count as old.
    /// </summary>
    /// <returns>One bit for each; 0 for none.</returns>
    public uint TakeOldFree()
    {
        var slots = _freeMask & _oldMask;
        _freeMask &= ~slots;
        _oldMask &= ~slots;
        return slots;
    }

    public void PutBack(uint slots) => _freeMask |= slots;

    /// <summary>The memory of small runs, those side by side as one range.</summary>
    public IEnumerable<(nint Start, nuint Bytes)> RangesOf(uint slots)
    {
        for (var first = 0; slots >> first != 0;)
        {
            first += BitOperations.TrailingZeroCount(slots >> first);
            var offset = first * SmallRunSize;
            first += BitOperations.TrailingZeroCount(~(slots >> first));
            yield return (Start + offset, (nuint)(Math.Min(first * SmallRunSize, _bytes) - offset));
        }
    }

    public void Put(AllocatorRun run)
    {
        if (run.IsLarge)
        {
            Array.Clear(_runs);
            _freeMask = AllFree;
            return;
        }

        var slot = (int)((run.Start - Start) >> SmallRunShift);
        Volatile.Write(ref _runs[slot], null);
        _freeMask |= 1u << slot;
    }
}
