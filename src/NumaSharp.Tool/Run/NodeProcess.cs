using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>The placement of one process.</summary>
/// <param name="NodeId">The node it is for.</param>
/// <param name="Cpus">Its CPUs.</param>
/// <param name="MemoryNodeId">The node that provides its memory; another one if the node has none.</param>
/// <param name="Policy">The memory policy.</param>
/// <param name="Environment">Variables added to this process's environment.</param>
internal sealed record NodeProcess(
    NumaNodeId NodeId,
    CpuSet Cpus,
    NumaNodeId MemoryNodeId,
    NodeMemoryPolicy Policy,
    IReadOnlyDictionary<string, string> Environment);
