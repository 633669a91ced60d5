namespace NumaSharp.Core.Memory.Allocation;

/// <summary>A place in the code: the innermost frames of a stack.</summary>
internal sealed class AllocationSite : IEquatable<AllocationSite>
{
    private readonly SiteFrame[] _frames;
    private readonly int _hash;

    public AllocationSite(SiteFrame[] frames)
    {
        _frames = frames;
        var hash = default(HashCode);
        Array.ForEach(frames, frame => hash.Add(frame));
        _hash = hash.ToHashCode();
    }

    /// <summary>A place as the end of a sentence.</summary>
    public static string At(AllocationSite? site) => site is null ? " (no stack trace)" : $" at [{site}]";

    public bool Equals(AllocationSite? other) =>
        other is not null && _hash == other._hash && _frames.AsSpan().SequenceEqual(other._frames);

    public override bool Equals(object? obj) => Equals(obj as AllocationSite);

    public override int GetHashCode() => _hash;

    public override string ToString() => string.Join(" < ", _frames);
}
