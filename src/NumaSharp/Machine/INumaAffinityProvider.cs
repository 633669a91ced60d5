namespace NumaSharp.Core;

/// <summary>
/// Pins threads and finds where they run. Chosen by <see cref="Name"/> in <c>Numa:Affinity:Provider</c>. Every call concerns the
/// calling thread. Implementations are thread-safe.
/// </summary>
public interface INumaAffinityProvider
{
    /// <summary>The short, case-insensitive name that configuration uses.</summary>
    string Name { get; }

    /// <summary>Reads the CPUs that the calling thread may run on (sched_getaffinity(2)).</summary>
    /// <param name="cpus">The CPUs; empty on failure.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult GetThreadCpus(out CpuSet cpus);

    /// <summary>
    /// Confines the calling thread to CPUs (sched_setaffinity(2)). Native threads that it starts inherit this; CoreCLR gives
    /// managed ones the main thread's mask instead, so the main thread must never be pinned. With NativeAOT all threads that it
    /// starts inherit it, those of the thread pool included.
    /// </summary>
    /// <param name="cpus">At least one CPU that is allowed.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult SetThreadCpus(CpuSet cpus);

    /// <summary>Reads where the calling thread runs at this moment (getcpu(2)).</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="nodeId">The kernel id of the CPU's node.</param>
    /// <returns>Success, or why not.</returns>
    NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId);
}
