using NumaSharp.Core;

namespace NumaSharp.GuestProbe;

/// <summary>What a process sees of the machine, and gets of it. Sets of CPUs and nodes are kernel lists.</summary>
internal sealed record ProbeReport
{
    public required string AllowedCpus { get; init; }

    public required string MemoryNodes { get; init; }

    public required IReadOnlyList<string> Warnings { get; init; }

    /// <summary>The CPUs of each node of the topology, by node id.</summary>
    public required IReadOnlyDictionary<int, string> CpusByNode { get; init; }

    public required string Plan { get; init; }

    public required IReadOnlyList<ProbePool> Pools { get; init; }

    /// <summary>How binding memory to each of the nodes 0 to 3 ends: <c>0</c>, or the error's name.</summary>
    public required IReadOnlyList<string> BindErrors { get; init; }

    /// <summary>How asking for the node of a page ends.</summary>
    public required string QueryError { get; init; }

    public required IReadOnlyList<NumaFallback> Fallbacks { get; init; }

    /// <summary>What the health check says of the garbage collector's heap; <see langword="null"/>: nothing.</summary>
    public required string? ManagedHeap { get; init; }

    /// <summary>The status of each health check, by name.</summary>
    public required IReadOnlyDictionary<string, string> Health { get; init; }
}
