namespace NumaSharp.Core.Topology;

/// <summary>Ids that a process is confined to, and the file that says so.</summary>
internal sealed record CpusetLimit(CpuSet Ids, string Source);
