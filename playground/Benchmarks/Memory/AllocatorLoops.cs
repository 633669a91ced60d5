using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The loops, compiled for one allocator.</summary>
internal sealed unsafe class AllocatorLoops<TBlocks> : IAllocatorSide
    where TBlocks : struct, IBlocks<TBlocks>, allows ref struct
{
    private const int VerifiedBlocks = 256;
    private const int VerifiedSizeStep = 251;

    public string Name => TBlocks.Name;

    public PeerLibrary? Library => TBlocks.Library;

    public void Verify()
    {
        var blocks = TBlocks.Open();
        var pointers = stackalloc byte*[VerifiedBlocks];
        for (var i = 0; i < VerifiedBlocks; i++)
        {
            pointers[i] = (byte*)blocks.Allocate(VerifiedSize(i));
            NativeMemory.Fill(pointers[i], VerifiedSize(i), (byte)i);
        }

        for (var i = 0; i < VerifiedBlocks; i++)
        {
            var content = new ReadOnlySpan<byte>(pointers[i], (int)VerifiedSize(i));
            if (content.ContainsAnyExcept((byte)i))
            {
                throw new BenchmarkException($"{Name}: a block of {content.Length} bytes does not keep what was written to it");
            }

            blocks.Free(pointers[i]);
        }
    }

    public void Single(nuint size, int count)
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < count; i++)
        {
            blocks.Free(blocks.Allocate(size));
        }
    }

    public void Nested(nuint size, int count)
    {
        var blocks = TBlocks.Open();
        for (var i = 0; i < count; i++)
        {
            var first = blocks.Allocate(size);
            var second = blocks.Allocate(size);
            var third = blocks.Allocate(size);
            blocks.Free(third);
            blocks.Free(second);
            blocks.Free(first);
        }
    }

    [SkipLocalsInit]
    public void Bulk(nuint size, int count)
    {
        var blocks = TBlocks.Open();
        var pointers = stackalloc void*[IAllocatorSide.BulkBlocks];
        for (var done = 0; done < count; done += IAllocatorSide.BulkBlocks)
        {
            for (var i = 0; i < IAllocatorSide.BulkBlocks; i++)
            {
                var block = blocks.Allocate(size);
                *(long*)block = i;
                pointers[i] = block;
            }

            for (var i = 0; i < IAllocatorSide.BulkBlocks; i++)
            {
                blocks.Free(pointers[i]);
            }
        }
    }

    public void Produce(SpscRing<nint> ring, nuint size, int count)
    {
        var blocks = TBlocks.Open();
        for (var done = 0; done < count; done += SpscRing<nint>.Batch)
        {
            foreach (ref var slot in ring.BeginWrite())
            {
                slot = (nint)blocks.Allocate(size);
            }

            ring.EndWrite();
        }
    }

    public void Consume(SpscRing<nint> ring, int count)
    {
        var blocks = TBlocks.Open();
        for (var done = 0; done < count; done += SpscRing<nint>.Batch)
        {
            foreach (var block in ring.BeginRead())
            {
                blocks.Free((void*)block);
            }

            ring.EndRead();
        }
    }

    // 8 bytes to 64 KB: every size class, and both halves of a class.
    private static nuint VerifiedSize(int index) => (nuint)(8 + (index * VerifiedSizeStep));
}
