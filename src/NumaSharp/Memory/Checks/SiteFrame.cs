namespace NumaSharp.Core.Memory.Allocation;

/// <summary>A call on the way to a block.</summary>
internal readonly record struct SiteFrame(string? Type, string Method, int Offset)
{
    public override string ToString() => $"{Type}.{Method}+0x{Offset:x}";
}
