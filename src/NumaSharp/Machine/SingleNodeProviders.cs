using System.Runtime.InteropServices;

namespace NumaSharp.Core;

/// <summary>
/// Any machine as one node with all its CPUs and memory: for systems without NUMA support of their own. Thread-safe.
/// </summary>
internal sealed class SingleNodeTopologyProvider : INumaTopologyProvider
{
    /// <summary>The provider's name.</summary>
    public const string ProviderName = "SingleNode";

    // The only message off Linux: everything else then works as on one node.
    private const string NoProvider =
        "There is no NUMA provider for this system: it is treated as one node, and nothing is pinned or bound.";

    /// <inheritdoc/>
    public string Name => ProviderName;

    /// <inheritdoc/>
    public NumaTopology Read()
    {
#pragma warning disable RS0030 // Without a topology there is no plan to ask: this is where the count comes from.
        var cpus = CpuSet.Range(0, Environment.ProcessorCount);
#pragma warning restore RS0030
        var memory = GC.GetGCMemoryInfo();
        var node = new NumaNode
        {
            Id = default,
            Cpus = cpus,
            OnlineCpus = cpus,
            MemoryBytes = memory.TotalAvailableMemoryBytes,
            MemoryFreeBytes = Math.Max(0, memory.TotalAvailableMemoryBytes - memory.MemoryLoadBytes),
            IsMemoryAllowed = true,
            Kind = NumaNodeKind.Normal,
            Distances = new Dictionary<NumaNodeId, int> { [default] = 10 },
        };
        return new NumaTopology(Name, [node], OperatingSystem.IsLinux() ? [] : [NoProvider]);
    }
}

/// <summary>Affinity for systems where threads cannot or need not be pinned: everything is allowed, nothing is done.</summary>
internal sealed class SingleNodeAffinityProvider : INumaAffinityProvider
{
    /// <inheritdoc/>
    public string Name => SingleNodeTopologyProvider.ProviderName;

    /// <inheritdoc/>
    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = AllCpus();
        return NumaResult.Success;
    }

    /// <summary>Succeeds for all CPUs of the machine, where threads run anyway, and for nothing less.</summary>
    /// <param name="cpus">The CPUs.</param>
    /// <returns>Success, or <see cref="NumaFailure.NotSupported"/>.</returns>
    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        return AllCpus().IsSubsetOf(cpus)
            ? NumaResult.Success
            : new NumaResult(NumaFailure.NotSupported, 0, "no affinity on this system");
    }

    /// <inheritdoc/>
    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        cpu = Thread.GetCurrentProcessorId();
        nodeId = default;
        return NumaResult.Success;
    }

#pragma warning disable RS0030 // The same source as the single-node topology.
    private static CpuSet AllCpus() => CpuSet.Range(0, Environment.ProcessorCount);
#pragma warning restore RS0030
}

/// <summary>Memory of the process heap, on whatever node the system gives: for systems without NUMA calls. Thread-safe.</summary>
internal sealed unsafe class SingleNodeMemoryProvider : INumaMemoryProvider
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
