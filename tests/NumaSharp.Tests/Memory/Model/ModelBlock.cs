namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>A block in use: all its bytes are the mark.</summary>
internal readonly record struct ModelBlock(nint Address, int Size, long Usable, int NodeId, byte Mark)
{
    public unsafe void AssertContent(int bytes) => Assert.True(
        !new ReadOnlySpan<byte>((void*)Address, bytes).ContainsAnyExcept(Mark), $"{this} was overwritten.");

    public override string ToString() => $"0x{Address:x}, {Size} of {Usable} bytes on node {NodeId}, mark {Mark}";
}
