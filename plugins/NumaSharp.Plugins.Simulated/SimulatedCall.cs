using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>A call that a provider of a simulated machine has answered. Immutable.</summary>
/// <param name="Number">The call's number in the order of answers, from 1.</param>
/// <param name="Operation">What was asked.</param>
/// <param name="ThreadId">The managed id of the calling thread.</param>
/// <param name="ThreadName">The name of the calling thread.</param>
/// <param name="NodeId">The node it was about, or <see langword="null"/>.</param>
/// <param name="SizeBytes">How many bytes it was about; 0 where it was not about memory.</param>
/// <param name="Cpus">The CPUs that were asked for or answered; empty where it was not about CPUs.</param>
/// <param name="Result">The answer.</param>
public sealed record SimulatedCall(
    long Number,
    SimulatedOperation Operation,
    int ThreadId,
    string? ThreadName,
    int? NodeId,
    long SizeBytes,
    CpuSet Cpus,
    NumaResult Result)
{
    /// <summary>The placement that <see cref="SimulatedOperation.Bind"/> asked for; <see langword="null"/> otherwise.</summary>
    public NumaPlacement? Placement { get; init; }
}
