namespace NumaSharp.Core.Topology;

/// <summary>A node as sysfs shows it, before anything is intersected.</summary>
internal sealed record RawNode(int Id)
{
    /// <summary>The node's CPUs that are online.</summary>
    public CpuSet Cpus { get; init; } = CpuSet.Empty;

    public NodeMeminfo Memory { get; init; }

    public bool HasMemory { get; init; }

    public bool IsDevice { get; init; }

    /// <summary>Whether it stands for the whole machine, because the kernel knows no nodes.</summary>
    public bool IsMachine { get; init; }

    public IReadOnlyDictionary<int, int> Distances { get; init; } = new Dictionary<int, int>();

    public NumaNodeKind Kind => this switch
    {
        { IsDevice: true } => NumaNodeKind.Device,
        { HasMemory: false } => NumaNodeKind.Cpu,
        { Cpus.IsEmpty: true } => NumaNodeKind.Memory,
        _ => NumaNodeKind.Normal,
    };
}
