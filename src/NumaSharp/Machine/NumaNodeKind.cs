namespace NumaSharp.Core;

/// <summary>What a node has.</summary>
public enum NumaNodeKind
{
    /// <summary>CPUs and memory.</summary>
    Normal,

    /// <summary>Memory without CPUs, such as a CXL expander or persistent memory in system-RAM mode.</summary>
    Memory,

    /// <summary>CPUs without memory of their own.</summary>
    Cpu,

    /// <summary>
    /// The memory of a device, such as a GPU, that the kernel shows as a node; has no CPUs, and is never used for ordinary data.
    /// </summary>
    Device,
}
