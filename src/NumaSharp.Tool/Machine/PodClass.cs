namespace NumaSharp.Tool.Machine;

/// <summary>
/// A pod's quality of service, as its cgroup's path shows it (kubernetes.io, "Pod Quality of Service Classes").
/// </summary>
internal enum PodClass
{
    /// <summary>The path does not show it, as in a container with its own cgroup namespace.</summary>
    Unknown,
    BestEffort,
    Burstable,
    Guaranteed,
}
