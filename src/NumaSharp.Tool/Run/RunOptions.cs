using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>What the command line of <c>run</c> says.</summary>
internal sealed record RunOptions(
    IReadOnlyList<string> Command,
    CpuSet? Nodes,
    NodeMemoryPolicy Policy,
    SupervisorOptions Supervision,
    bool SetGcLimits,
    bool IsDryRun);
