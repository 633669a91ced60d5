using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>A pool block as a segment of a byte sequence. The object outlives its block and is reused.</summary>
internal sealed unsafe class TransportSegment : ReadOnlySequenceSegment<byte>
{
    private NumaMemoryBlock? _block;
    private byte* _start;

    /// <summary>The size of the block in bytes.</summary>
    public int Capacity { get; private set; }

    /// <summary>The number of valid bytes from the start.</summary>
    public int Filled { get; private set; }

    /// <summary>The number of bytes sent from the start; used by the send pipe only.</summary>
    public int Sent { get; set; }

    public int Room => Capacity - Filled;

    /// <summary>The next block of the sequence; for an object without a block, the next one that the chain keeps.</summary>
    public TransportSegment? NextSegment => Unsafe.As<TransportSegment?>(Next);

    public byte* Start => _start;

    public byte* FreeStart => _start + Filled;

    public Span<byte> FreeSpan => new(_start + Filled, Room);

    public Memory<byte> FreeMemory => _block!.Memory.Slice(Filled, Room);

    public void Attach(NumaMemoryBlock block)
    {
        _block = block;
        _start = block.Pointer;
        Capacity = block.Length;
        Filled = 0;
        Sent = 0;
        Next = null;
        RunningIndex = 0;
    }

    /// <summary>The valid bytes from a position on.</summary>
    public ReadOnlySpan<byte> FilledFrom(int start) => new(_start + start, Filled - start);

    public void Fill(int count) => Filled += count;

    /// <summary>Leaves room at the start of an empty block: none of it is valid, or to be sent.</summary>
    public void Skip(int count) => Filled = Sent = count;

    /// <summary>Starts over at the beginning of the block; all its bytes have been consumed.</summary>
    public void Rewind() => Filled = Sent = 0;

    /// <summary>Makes this the last segment.</summary>
    public void Unlink() => Next = null;

    /// <summary>Links an object without a block to the others that a chain keeps.</summary>
    public void KeepBefore(TransportSegment? next) => Next = next;

    /// <summary>Makes the filled bytes visible to readers of the sequence.</summary>
    public void Publish() => Memory = _block!.Memory[..Filled];

    public void LinkTo(TransportSegment next)
    {
        Next = next;
        next.RunningIndex = RunningIndex + Filled;
    }

    /// <param name="isCold">Whether the block's pages also go back to the system.</param>
    public void Release(bool isCold)
    {
        if (isCold)
        {
            _block!.DisposeCold();
        }
        else
        {
            _block!.Dispose();
        }

        _block = null;
        _start = null;
        Capacity = Filled = Sent = 0;
        Next = null;
        Memory = default;
    }
}
