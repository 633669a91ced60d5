using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>A call that a provider of a simulated machine has answered. Immutable.</summary>
public sealed record SimulatedCall
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="number"><see cref="Number"/></param>
    /// <param name="operation"><see cref="Operation"/></param>
    /// <param name="threadId"><see cref="ThreadId"/></param>
    /// <param name="threadName"><see cref="ThreadName"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    /// <param name="sizeBytes"><see cref="SizeBytes"/></param>
    /// <param name="cpus"><see cref="Cpus"/></param>
    /// <param name="result"><see cref="Result"/></param>
    public SimulatedCall(
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

    /// <summary>The call's number in the order of answers, from 1.</summary>
    public long Number { get; init; }

    /// <summary>What was asked.</summary>
    public SimulatedOperation Operation { get; init; }

    /// <summary>The managed id of the calling thread.</summary>
    public int ThreadId { get; init; }

    /// <summary>The name of the calling thread.</summary>
    public string? ThreadName { get; init; }

    /// <summary>The node it was about, or <see langword="null"/>.</summary>
    public NumaNodeId? NodeId { get; init; }

    /// <summary>How many bytes it was about; 0 where it was not about memory.</summary>
    public long SizeBytes { get; init; }

    /// <summary>The CPUs that were asked for or answered; empty where it was not about CPUs.</summary>
    public CpuSet Cpus { get; init; }

    /// <summary>The answer.</summary>
    public NumaResult Result { get; init; }

    /// <summary>The placement that <see cref="SimulatedOperation.Bind"/> asked for; <see langword="null"/> otherwise.</summary>
    public NumaPlacement? Placement { get; init; }
}
