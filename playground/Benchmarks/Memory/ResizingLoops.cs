using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The loops of an allocator that resizes and aligns, compiled for it.</summary>
internal sealed unsafe class ResizingLoops<TBlocks> : AllocatorLoops<TBlocks>, IResizingSide
    where TBlocks : struct, IResizableBlocks<TBlocks>, allows ref struct
{
    public void Resize(nuint from, nuint to, int count)
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < count; i++)
        {
            blocks.Free(blocks.Reallocate(blocks.Allocate(from), to));
        }
    }

    public void Aligned(nuint size, nuint alignment, int count)
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < count; i++)
        {
            blocks.FreeAligned(blocks.AllocateAligned(size, alignment));
        }
    }
}
