using System.Numerics;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>The one reservation in which each node has a contiguous range of the same size, a power of two.</summary>
internal sealed class AllocatorRange : IDisposable
{
    public const long MinBytesPerNode = 64L << 20;
    public const long MaxBytesPerNode = 1L << 44;

    /// <summary>Only a part of scarce address space is taken: large blocks, stacks and the runtime need some, too.</summary>
    public const int ShareOfScarce = 4;

    /// <summary>The size of a huge page, and a multiple of a chunk: ranges begin and end at multiples of it.</summary>
    public const int Alignment = 2 * 1024 * 1024;

    private readonly INumaMemoryProvider _provider;
    private readonly nint _start;
    private readonly int _shift;
    private Func<bool>? _isUnused;
    private int _released;

    private AllocatorRange(INumaMemoryProvider provider, nint start, int nodes, nuint bytesPerNode)
    {
        _provider = provider;
        _start = start;
        _shift = BitOperations.Log2(bytesPerNode);
        BytesPerNode = bytesPerNode;
        Size = bytesPerNode * (nuint)nodes;
    }

    // Takes no lock: no other thread uses the allocator any more. The provider, which may be a plugin's, must not wait either.
    ~AllocatorRange()
    {
        if (_isUnused is not null && _isUnused())
        {
            Release();
        }
    }

    public nuint BytesPerNode { get; }

    public nuint Size { get; }

    /// <summary>Reserves the wanted size, or a part of what the system gives.</summary>
    public static AllocatorRange Reserve(INumaMemoryProvider provider, int nodes, nuint bytesPerNode)
    {
        NumaResult result = default;
        var wanted = BitOperations.RoundUpToPowerOf2(bytesPerNode);
        for (var bytes = wanted; bytes >= (nuint)MinBytesPerNode; bytes /= 2)
        {
            result = provider.Reserve(bytes * (nuint)nodes, Alignment, out var start);
            if (result.Succeeded && bytes < wanted && bytes > (nuint)MinBytesPerNode)
            {
                provider.Release(start, bytes * (nuint)nodes);
                bytes = Math.Max(bytes / ShareOfScarce, (nuint)MinBytesPerNode);
                result = provider.Reserve(bytes * (nuint)nodes, Alignment, out start);
            }

            if (result.Succeeded)
            {
                return new AllocatorRange(provider, start, nodes, bytes);
            }
        }

#pragma warning disable CA2201 // The BCL's own type for this.
        throw new OutOfMemoryException(
            $"No address space for the allocator: it needs at least {MinBytesPerNode} bytes for each of {nodes} nodes "
            + $"({result.ErrorName}).");
#pragma warning restore CA2201
    }

    public nint StartOf(int nodeIndex) => _start + (nint)((nuint)nodeIndex << _shift);

    /// <summary>The position of the node that owns an address, or -1.</summary>
    public int IndexOf(nint address)
    {
        var offset = (nuint)(address - _start);
        return offset < Size ? (int)(offset >> _shift) : -1;
    }

    public void Dispose()
    {
        Release();
        GC.SuppressFinalize(this);
    }

    /// <summary>Gives the address space back, with all memory in it, once.</summary>
    public NumaResult Release() =>
        Interlocked.Exchange(ref _released, 1) == 0 ? _provider.Release(_start, Size) : NumaResult.Success;

    /// <summary>
    /// For the finalizer, which releases the range only if all blocks are free: until then they may be freed. The check takes no
    /// lock: every other finalizer of the process would wait for it, too.
    /// </summary>
    public void ReleaseWhenUnreachable(Func<bool> isUnused) => _isUnused = isUnused;
}
