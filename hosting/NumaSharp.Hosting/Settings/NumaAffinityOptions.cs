using NumaSharp.Core;

namespace NumaSharp.Hosting;

/// <summary>How threads are pinned: section <c>Numa:Affinity</c>.</summary>
public sealed class NumaAffinityOptions
{
    /// <summary>The name of the provider. <c>Auto</c> follows the topology provider if its platform can pin.</summary>
    /// <value>Default <c>Auto</c>. Built in are <c>Linux</c> and <c>SingleNode</c>.</value>
    public string Provider { get; set; } = "Auto";

    /// <summary>The set of CPUs that each worker and each event loop gets on its node.</summary>
    /// <value>Default <see cref="NumaAffinityGranularity.Node"/>.</value>
    public NumaAffinityGranularity Granularity { get; set; }

    /// <summary>Whether to use only one CPU of each physical core.</summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool AvoidSmtSiblings { get; set; }

    /// <summary>CPUs that are left to other software, such as a poll-mode driver.</summary>
    /// <value>Default none.</value>
    public CpuSet ReservedCpus { get; set; } = CpuSet.Empty;
}
