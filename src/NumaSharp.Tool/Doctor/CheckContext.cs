using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Hosting;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor;

/// <summary>The input of the checks: files, the plan AddNuma() makes of them, the runtime's settings, the system.</summary>
internal sealed record CheckContext
{
    public const string Status = "proc/self/status";

    /// <summary>The machine's files, as <c>sys/...</c> and <c>proc/...</c>.</summary>
    public required TreeReader Files { get; init; }

    public required NumaPlan Plan { get; init; }

    public required NumaOptions Options { get; init; }

    /// <summary>The application's files.</summary>
    public ApplicationFiles Application { get; init; } = ApplicationFiles.None;

    /// <summary>The garbage collector's settings as the application sees them.</summary>
    public GcSettings Gc { get; init; } = GcSettings.None;

    /// <summary>How many CPUs .NET counts in this process, by quotas, too; 0 for another machine.</summary>
    public int Processors { get; init; }

    /// <summary>What decides on the garbage collector's heaps.</summary>
    public ManagedHeapSettings Heap => Gc.OfHeap(Processors);

    /// <summary>What a kubelet has assigned; <see langword="null"/> unless requested.</summary>
    public PodCgroup? Pod { get; init; }

    /// <summary>The running system; <see langword="null"/> if only files are available.</summary>
    public ISystemProbe? Probe { get; init; }

    /// <summary>What was measured; <see langword="null"/> unless requested.</summary>
    public Measurements? Measured { get; init; }

    public NumaTopology Topology => Plan.Topology;

    public bool HasSeveralNodes => Topology.Nodes.Count(static node => node.Kind != NumaNodeKind.Device) > 1;

    /// <summary>The nodes with loops that serve connections.</summary>
    public CpuSet LoopNodes => CpuSet.FromIds(
        Plan.Nodes.Where(static node => node.Loops > 0).Select(static node => node.NodeId.Value));

    /// <summary>The line of a field of the process's status (proc_pid_status(5)).</summary>
    public string? StatusLine(string field) => Array.Find(
        (Files.Read(Status) ?? "").Split('\n'), line => line.StartsWith($"{field}:", StringComparison.Ordinal));

    public Evidence File(string relative) => new($"/{relative}", Files.Read(relative) ?? "cannot be read");
}
