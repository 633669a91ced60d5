using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Address space in pinned arrays of the GC's heap, for blocks that callers want as arrays. Another provider, which need not know
/// the memory, places its pages. Unlike other memory it does not read as zero if that provider cannot discard pages.
/// </summary>
internal sealed class ArrayMemory(INumaMemoryProvider placing) : INumaMemoryProvider
{
    // Kept until they are released, as mapped memory is: pointers into an array do not keep it alive.
    private static readonly ConcurrentDictionary<nint, byte[]> s_arrays = new();

    private readonly ConcurrentDictionary<nint, NumaPlacement> _promises = new();

    public string Name => placing.Name;

    public nuint PageSize => placing.PageSize;

    /// <summary>The array of a reservation.</summary>
    public static byte[] ArrayAt(nint address) => s_arrays[address];

    /// <summary>The address of the first element of a pinned array.</summary>
    public static unsafe nint StartOf(byte[] array) => (nint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array));

    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        alignment = nuint.Max(alignment, PageSize);
        if (size > (nuint)Array.MaxLength - alignment)
        {
            return OutOfMemory($"an array has at most {Array.MaxLength} bytes");
        }

        byte[] array;
        try
        {
            array = GC.AllocateUninitializedArray<byte>((int)(size + alignment), pinned: true);
        }
        catch (OutOfMemoryException)
        {
            return OutOfMemory("the GC's heap is full");
        }

        address = (nint)(((nuint)StartOf(array) + alignment - 1) & ~(alignment - 1));
        s_arrays[address] = array;
        return NumaResult.Success;
    }

    // The GC may return memory that it has used before: its pages exist already, and binding moves none. If they cannot be
    // dropped, they stay, on whatever node.
    public NumaResult Commit(nint address, nuint size)
    {
        placing.Advise(address, size, NumaMemoryAdvice.Discard);
        return NumaResult.Success;
    }

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        var result = placing.Bind(address, size, placement);
        if (result.Succeeded && placement.Kind == NumaPlacementKind.Bound)
        {
            _promises[address] = placement;
        }

        return result;
    }

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => placing.Advise(address, size, advice);

    // The GC's next data there must not be bound to a node that may be full.
    public NumaResult Release(nint address, nuint size)
    {
        var promises = _promises.Where(promise => promise.Key >= address && promise.Key < address + (nint)size).ToArray();
        if (promises is [var (_, placement), ..])
        {
            var result = placing.Bind(address, size, placement with { Kind = NumaPlacementKind.Preferred });
            if (!result.Succeeded)
            {
                return result;
            }
        }

        foreach (var (start, _) in promises)
        {
            _promises.TryRemove(start, out _);
        }

        s_arrays.TryRemove(address, out _);
        return NumaResult.Success;
    }

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => placing.QueryNode(address, out nodeId);

    private static NumaResult OutOfMemory(string why) => new(NumaFailure.OutOfMemory, 0, why);
}
