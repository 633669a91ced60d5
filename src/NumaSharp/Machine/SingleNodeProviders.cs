using System.Runtime.InteropServices;

namespace NumaSharp.Core;

/// <summary>Memory of the process heap, on whatever node the system gives: for systems without NUMA calls. Thread-safe.</summary>
public sealed unsafe class SingleNodeMemoryProvider : INumaMemoryProvider
{
    /// <inheritdoc/>
    public string Name => SingleNodeTopologyProvider.ProviderName;

    /// <inheritdoc/>
    public nuint PageSize => (nuint)Environment.SystemPageSize;

    /// <inheritdoc/>
    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        try
        {
            address = (nint)NativeMemory.AlignedAlloc(size, Math.Max(alignment, PageSize));
            return NumaResult.Success;
        }
        catch (OutOfMemoryException)
        {
            address = 0;
            return new NumaResult(NumaFailure.OutOfMemory, 0, "out of memory");
        }
    }

    /// <inheritdoc/>
    // Cleared here and not when reserved: a large reservation stays untouched, which most systems do not charge for.
    public NumaResult Commit(nint address, nuint size)
    {
        NativeMemory.Clear((void*)address, size);
        return NumaResult.Success;
    }

    /// <summary>A preference for the only node needs no action; a strict binding is not supported.</summary>
    /// <param name="address">The start.</param>
    /// <param name="size">Bytes.</param>
    /// <param name="placement">Where from.</param>
    /// <returns>Success, or <see cref="NumaFailure.NotSupported"/>.</returns>
    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        ArgumentNullException.ThrowIfNull(placement);
        return placement.Kind == NumaPlacementKind.Preferred
            ? NumaResult.Success
            : new NumaResult(NumaFailure.NotSupported, 0, "no memory binding on this system");
    }

    /// <inheritdoc/>
    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) =>
        new(NumaFailure.NotSupported, 0, "no memory advice on this system");

    /// <inheritdoc/>
    public NumaResult Release(nint address, nuint size)
    {
        NativeMemory.AlignedFree((void*)address);
        return NumaResult.Success;
    }

    /// <inheritdoc/>
    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId)
    {
        nodeId = default(NumaNodeId);
        return NumaResult.Success;
    }
}
