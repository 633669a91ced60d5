using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>A completed call to a provider of a simulated machine. Immutable.</summary>
public sealed record SimulatedCall
{
    /// <summary>Creates a call from its properties.</summary>
    /// <param name="number"><see cref="Number"/></param>
    /// <param name="operation"><see cref="Operation"/></param>
    /// <param name="threadId"><see cref="ThreadId"/></param>
    /// <param name="threadName"><see cref="ThreadName"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    /// <param name="sizeBytes"><see cref="SizeBytes"/></param>
    /// <param name="cpus"><see cref="Cpus"/></param>
    /// <param name="result"><see cref="Result"/></param>
    internal SimulatedCall(
        long number,
        SimulatedOperation operation,
        int threadId,
        string? threadName,
        NumaNodeId? nodeId,
        long sizeBytes,
        CpuSet cpus,
        NumaResult result)
    {
        Number = number;
        Operation = operation;
        ThreadId = threadId;
        ThreadName = threadName;
        NodeId = nodeId;
        SizeBytes = sizeBytes;
        Cpus = cpus;
        Result = result;
    }

    /// <summary>The call's number in the order of completion, from 1.</summary>
    public long Number { get; init; }

    /// <summary>The operation that was called.</summary>
    public SimulatedOperation Operation { get; init; }

    /// <summary>The managed id of the calling thread.</summary>
    public int ThreadId { get; init; }

    /// <summary>The name of the calling thread.</summary>
    public string? ThreadName { get; init; }

    /// <summary>The node it concerned, or <see langword="null"/>.</summary>
    public NumaNodeId? NodeId { get; init; }

    /// <summary>The number of bytes it concerned; 0 if it did not concern memory.</summary>
    public long SizeBytes { get; init; }

    /// <summary>The requested or returned CPUs; empty if it did not concern CPUs.</summary>
    public CpuSet Cpus { get; init; }

    /// <summary>The result.</summary>
    public NumaResult Result { get; init; }

    /// <summary>The placement requested by <see cref="SimulatedOperation.Bind"/>; otherwise <see langword="null"/>.</summary>
    public NumaPlacement? Placement { get; init; }
}

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
