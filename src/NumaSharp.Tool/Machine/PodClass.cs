namespace NumaSharp.Tool.Machine;

/// <summary>
/// A pod's quality of service, as its cgroup's path shows it (kubernetes.io, "Pod Quality of Service Classes").
/// </summary>
internal enum PodClass
{
    /// <summary>The path does not tell, as in a cgroup namespace of the container's own.</summary>
    Unknown,
    BestEffort,
    Burstable,
    Guaranteed,
}
