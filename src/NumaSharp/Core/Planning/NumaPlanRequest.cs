namespace NumaSharp.Core;

/// <summary>What a plan is asked to do with a machine. The defaults are right for most services.</summary>
public sealed record NumaPlanRequest
{
    /// <summary>False: one node, nothing pinned, nothing bound; services still work.</summary>
    public bool Enabled { get; init; } = true;

    /// <summary>The kernel ids of the nodes to use; <see langword="null"/> for all that are allowed.</summary>
    public CpuSet? Nodes { get; init; }

    /// <summary>The CPUs to use; <see langword="null"/> for all that are allowed.</summary>
    public CpuSet? Cpus { get; init; }

    /// <summary>CPUs to leave to others, such as a poll-mode driver.</summary>
    public CpuSet ReservedCpus { get; init; } = CpuSet.Empty;

    /// <summary>How memory is bound.</summary>
    public NumaBindMode BindMode { get; init; } = NumaBindMode.Advisory;

    /// <summary>Scheduler workers per node; 0 for as many as the node has CPUs in the plan.</summary>
    public int ThreadsPerNode { get; init; }

    /// <summary>Event loops per node; 0 for as many as the node has CPUs in the plan.</summary>
    public int LoopsPerNode { get; init; }
}
