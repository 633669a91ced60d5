using NumaSharp.Core;

namespace NumaSharp.Hosting;

/// <summary>Which nodes and CPUs are used, and how memory is bound to them: section <c>Numa:Binding</c>.</summary>
public sealed class BindingOptions
{
    /// <summary>The kernel ids of the nodes to use.</summary>
    /// <value><see langword="null"/> (the default) for all that the process may use.</value>
    public CpuSet? Nodes { get; set; }

    /// <summary>The CPUs to use.</summary>
    /// <value><see langword="null"/> (the default) for all that the process may use.</value>
    public CpuSet? Cpus { get; set; }

    /// <summary>How serious the binding of memory to a node is meant.</summary>
    /// <value>Default <see cref="NumaBindMode.Advisory"/>.</value>
    public NumaBindMode Mode { get; set; } = NumaBindMode.Advisory;
}
