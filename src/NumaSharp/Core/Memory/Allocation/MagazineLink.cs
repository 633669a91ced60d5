namespace NumaSharp.Core.Memory.Allocation;

/// <summary>What a list of magazines keeps of one; apart from its slots, whose pages a list then does not touch.</summary>
internal struct MagazineLink
{
    public uint Next;

    /// <summary>How many blocks are in it, from the first slot on.</summary>
    public int Count;
}
