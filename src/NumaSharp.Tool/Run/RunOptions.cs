using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>The command line of <c>run</c>.</summary>
internal sealed record RunOptions(
    IReadOnlyList<string> Command,
    CpuSet? Nodes,
    NodeMemoryPolicy Policy,
    SupervisorOptions Supervision,
    bool SetGcLimits,
    bool IsDryRun);
