namespace NumaSharp.Core.Memory;

/// <summary>The settings of <see cref="NodeMemory"/>, with every default resolved.</summary>
internal sealed record NodeMemorySettings
{
    /// <summary>The owner in messages: <c>memory pool of node 1</c>.</summary>
    public required string Owner { get; init; }

    public required NumaNodeId NodeId { get; init; }

    public required MemorySource Source { get; init; }

    public required long LimitBytes { get; init; }

    public required NumaBindMode BindMode { get; init; }

    public required INumaMemoryProvider Provider { get; init; }

    public required INumaAffinityProvider Affinity { get; init; }

    public required CpuSet? FirstTouchCpus { get; init; }

    public required NumaFallbacks Fallbacks { get; init; }
}
