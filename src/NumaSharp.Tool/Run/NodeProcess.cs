using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>Where one of the processes runs.</summary>
/// <param name="NodeId">The node that it is for.</param>
/// <param name="Cpus">Its CPUs.</param>
/// <param name="MemoryNodeId">The node whose memory it uses; another one where the node has none.</param>
/// <param name="Policy">How it uses that memory.</param>
/// <param name="Environment">What it gets in addition to our own environment.</param>
internal sealed record NodeProcess(
    NumaNodeId NodeId,
    CpuSet Cpus,
    NumaNodeId MemoryNodeId,
    NodeMemoryPolicy Policy,
    IReadOnlyDictionary<string, string> Environment);
