using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor;

/// <summary>What is examined: files, what AddNuma() makes of them, the runtime's settings, the running system.</summary>
internal sealed record Patient
{
    /// <summary>The machine's files, as <c>sys/...</c> and <c>proc/...</c>.</summary>
    public required TreeReader Files { get; init; }

    public required NumaPlan Plan { get; init; }

    public required NumaOptions Options { get; init; }

    /// <summary>The garbage collector's settings as the application gets them.</summary>
    public GcSettings Gc { get; init; } = GcSettings.None;

    /// <summary>What a kubelet gave; <see langword="null"/> where nobody asks for that.</summary>
    public PodCgroup? Pod { get; init; }

    /// <summary>The running system; <see langword="null"/> where only files are at hand.</summary>
    public ISystemProbe? Probe { get; init; }

    public NumaTopology Topology => Plan.Topology;

    public bool HasSeveralNodes => Topology.Nodes.Count(static node => node.Kind != NumaNodeKind.Device) > 1;

    /// <summary>The nodes whose loops serve connections.</summary>
    public CpuSet LoopNodes => CpuSet.FromIds(
        Plan.Nodes.Where(static node => node.Loops > 0).Select(static node => node.NodeId.Value));

    public Evidence File(string relative) => new($"/{relative}", Files.Read(relative) ?? "cannot be read");
}
