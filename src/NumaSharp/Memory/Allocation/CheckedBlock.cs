namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// A block of the checked mode: [front | requested bytes | behind], front and behind filled with one byte value. A large block
/// has a page without access instead of a front.
/// </summary>
internal sealed unsafe class CheckedBlock
{
    public const int LeastMargin = 16;

    private const int MostMargin = 4096;

    private readonly nint _end;

    /// <param name="start">The start of the allocator's block.</param>
    /// <param name="run">Where it is; <see langword="null"/> for a mapping of its own.</param>
    /// <param name="length">Bytes that the allocator gave.</param>
    /// <param name="front">How many of them are in front.</param>
    /// <param name="size">Bytes that were requested.</param>
    public CheckedBlock(nint start, AllocatorRun? run, nuint length, nuint front, nuint size)
    {
        Start = start;
        Run = run;
        Address = start + (nint)front;
        Size = size;
        _end = start + (nint)length;
    }

    public nint Start { get; }

    public nint Address { get; }

    public nuint Size { get; }

    public required int NodeIndex { get; init; }

    public required AllocationSite? AllocatedAt { get; init; }

    public AllocationSite? FreedAt { get; set; }

    public CheckedState State { get; set; }

    /// <summary>The run that still holds what the free wrote; <see langword="null"/> when that is not known.</summary>
    public AllocatorRun? Run { get; set; }

    private Span<byte> Front => new((void*)Math.Max(Start, Address - MostMargin), (int)Math.Min(Address - Start, MostMargin));

    private Span<byte> Behind => new((byte*)Address + Size, (int)Math.Min(_end - Address - (nint)Size, MostMargin));

    public void Prepare()
    {
        Front.Fill(GuardBytes.Margin);
        Behind.Fill(GuardBytes.Margin);
        if (Run is not null)
        {
            Content().Fill(GuardBytes.New);
        }
    }

    public void Poison() => Content().Fill(GuardBytes.Freed);

    public bool Contains(nint address) => (nuint)(address - Address) < Size;

    /// <summary>Describes writes before and behind a block in use; <see langword="null"/> for none.</summary>
    public string? FindOverrun()
    {
        var before = Front.IndexOfAnyExcept(GuardBytes.Margin) is >= 0 and var first ? Front.Length - first : 0;
        var behind = Behind.LastIndexOfAnyExcept(GuardBytes.Margin) + 1;
        return (before, behind) switch
        {
            (0, 0) => null,
            (_, 0) => $"The {before} bytes before {this} were overwritten.",
            (0, _) => $"The {behind} bytes behind {this} were overwritten.",
            _ => $"The {before} bytes before and the {behind} bytes behind {this} were overwritten.",
        };
    }

    /// <summary>Describes a write into the block after it was freed; <see langword="null"/> for none.</summary>
    public string? FindWriteAfterFree() => Content().IndexOfAnyExcept(GuardBytes.Freed) is >= 0 and var first
        ? $"{this} was written to at offset {first} after it had been freed."
        : null;

    public override string ToString()
    {
        var text = $"the block of {Size} bytes at 0x{Address:x}, allocated{AllocationSite.At(AllocatedAt)}";
        return State == CheckedState.InUse ? text : $"{text} and freed{AllocationSite.At(FreedAt)}";
    }

    // Small: a block in a run.
    private Span<byte> Content() => new((void*)Address, (int)Size);
}

/// <summary>The owner of a checked block.</summary>
internal enum CheckedState
{
    /// <summary>The user of the allocator.</summary>
    InUse,

    /// <summary>The thread that frees it, or that frees it for good.</summary>
    Leaving,

    /// <summary>No owner yet: it waits so that a write after the free is found.</summary>
    Held,

    /// <summary>The allocator; it may have handed it out again.</summary>
    Free,
}
