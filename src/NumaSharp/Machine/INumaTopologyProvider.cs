namespace NumaSharp.Core;

/// <summary>
/// A source of topologies. Chosen by <see cref="Name"/> in <c>Numa:Topology:Provider</c>. Implementations are thread-safe.
/// </summary>
public interface INumaTopologyProvider
{
    /// <summary>The short, case-insensitive name that configuration uses, such as <c>Linux</c>.</summary>
    string Name { get; }

    /// <summary>Reads the machine as it is now.</summary>
    /// <returns>A consistent snapshot with at least one node and one CPU.</returns>
    /// <exception cref="NumaException">The machine cannot be read; the message names the file and what is wrong.</exception>
    NumaTopology Read();

    /// <summary>Reads a node's memory and the kernel's counters as they are now. Cheap: called by meters and pages.</summary>
    /// <param name="nodeId">The kernel id of a node.</param>
    /// <returns>The figures, or <see langword="null"/>: this provider has none, or there is no such node.</returns>
    NumaNodeStatistics? ReadStatistics(NumaNodeId nodeId) => null;

    /// <summary>
    /// Reads something that differs whenever a new <see cref="Read"/> gives other nodes, CPUs, isolated CPUs or memory nodes, and
    /// that costs much less, for polling.
    /// </summary>
    /// <returns>Compared with the previous one; <see langword="null"/>: this provider cannot detect changes, read all.</returns>
    string? ReadSignature() => null;

    /// <summary>
    /// Asks for a call when a new <see cref="Read"/> may give another answer (CPU unplugged, cpuset changed).
    /// </summary>
    /// <param name="changed">Called on any thread, also without a real change; must not block.</param>
    /// <returns>Ends the watch when disposed; <see langword="null"/>: this provider cannot detect changes, poll it.</returns>
    IDisposable? Watch(Action changed) => null;
}
