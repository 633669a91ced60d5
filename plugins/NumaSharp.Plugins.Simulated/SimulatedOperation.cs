namespace NumaSharp.Plugins.Simulated;

/// <summary>The operations of the three providers, which are recorded and can fail by faults.</summary>
public enum SimulatedOperation
{
    /// <summary>Reading the topology.</summary>
    Read,

    /// <summary>Reading a node's statistics.</summary>
    ReadStatistics,

    /// <summary>Reserving address space.</summary>
    Reserve,

    /// <summary>Making memory usable.</summary>
    Commit,

    /// <summary>Binding memory to nodes.</summary>
    Bind,

    /// <summary>A hint about memory.</summary>
    Advise,

    /// <summary>Releasing a reservation.</summary>
    Release,

    /// <summary>Querying the node of an address.</summary>
    QueryNode,

    /// <summary>Reading a thread's CPUs.</summary>
    GetThreadCpus,

    /// <summary>Pinning a thread.</summary>
    SetThreadCpus,

    /// <summary>Querying where a thread runs.</summary>
    GetCurrent,
}
