using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>Huge pages for all mappings waste memory; those created during a page fault cost time.</summary>
internal sealed class TransparentHugePagesCheck() : DoctorCheck("transparent-hugepages")
{
    private const string Folder = "sys/kernel/mm/transparent_hugepage";
    private const string Enabled = $"{Folder}/enabled";
    private const string Defrag = $"{Folder}/defrag";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var mode = Chosen(context.Files.Read(Enabled));
        if (mode == "always")
        {
            yield return Found(
                Severity.Info,
                "Transparent huge pages are on for all memory: a misplaced page is 2 MiB, and memory use grows.",
                $"echo madvise > /{Enabled}: the pools ask for huge pages where they need them.",
                context.File(Enabled));
        }

        if (mode is "always" or "madvise" && Chosen(context.Files.Read(Defrag)) == "always")
        {
            yield return Found(
                Severity.Warning,
                "A page fault that gets a huge page may wait for memory compaction, which costs tail latency.",
                $"echo defer+madvise > /{Defrag}",
                context.File(Defrag));
        }
    }

    // "always [madvise] never"
    private static string? Chosen(string? text) =>
        Array.Find((text ?? "").Split(' '), static word => word is ['[', .., ']'])?.Trim('[', ']');
}

/// <summary>Committed memory is limited, even if it is not used.</summary>
internal sealed class OvercommitCheck() : DoctorCheck("overcommit")
{
    private const string Switch = "proc/sys/vm/overcommit_memory";
    private const int Never = 2;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Files.ReadNumber(Switch) == Never)
        {
            yield return Found(
                Severity.Info,
                "The kernel does not overcommit memory: committed memory of the pools counts in full, and a process may be "
                + "refused memory while some is free.",
                "Set Numa:Memory:LimitPerNode below vm.overcommit_ratio percent of the memory, or sysctl -w "
                + "vm.overcommit_memory=0",
                context.File(Switch),
                context.File("proc/sys/vm/overcommit_ratio"));
        }
    }
}

/// <summary>The kernel moves pages to follow threads that the plan has already placed.</summary>
internal sealed class NumaBalancingCheck() : DoctorCheck("numa-balancing")
{
    private const string Switch = "proc/sys/kernel/numa_balancing";
    private const int Balancing = 1;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        // Bit 1 alone is memory tiering: promotion of hot pages, which does not conflict with a plan (sysctl/kernel.rst).
        if (context.HasSeveralNodes && context.Plan.IsEnabled && context.Files.ReadNumber(Switch) is { } mode
            && (mode & Balancing) != 0)
        {
            yield return Found(
                Severity.Warning,
                "Automatic NUMA balancing is on: it unmaps pages to see which threads use them. Pinned threads take the page "
                + "faults and gain nothing.",
                $"sysctl -w kernel.numa_balancing={mode & ~Balancing}",
                context.File(Switch));
        }
    }
}

/// <summary>A full node reclaims its caches before memory of another node is used.</summary>
internal sealed class ZoneReclaimCheck() : DoctorCheck("zone-reclaim")
{
    private const string Switch = "proc/sys/vm/zone_reclaim_mode";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.HasSeveralNodes && context.Files.ReadNumber(Switch) is { } mode and not 0)
        {
            yield return Found(
                Severity.Warning,
                "Zone reclaim is on: an allocation on a full node waits for pages to be written or dropped, while other nodes "
                + "have free memory.",
                "sysctl -w vm.zone_reclaim_mode=0",
                new Evidence($"/{Switch}", $"{mode}"));
        }
    }
}

/// <summary>Slow memory to which the kernel moves no pages.</summary>
internal sealed class DemotionCheck() : DoctorCheck("memory-demotion")
{
    private const string Switch = "sys/kernel/mm/numa/demotion_enabled";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var slow = CpuSet.FromIds(context.Topology.Nodes
            .Where(static node => node.Kind == NumaNodeKind.Memory)
            .Select(static node => node.NodeId));
        if (!slow.IsEmpty && context.Files.Read(Switch) is "false" or "0")
        {
            yield return Found(
                Severity.Info,
                $"Nodes {slow} have memory and no CPUs, and the kernel does not move cold pages there: it swaps instead.",
                $"echo 1 > /{Switch}, and sysctl -w kernel.numa_balancing=2 to move hot pages back",
                context.File(Switch));
        }
    }
}

/// <summary>CPUs that stay at their lowest frequency.</summary>
internal sealed class GovernorCheck() : DoctorCheck("cpu-governor")
{
    private static readonly string[] s_scaling = ["intel_pstate", "amd-pstate-epp"];

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var slow = CpuSet.FromIds(context.Plan.Cpus.Where(cpu => IsSlow(context, cpu)));
        if (!slow.IsEmpty)
        {
            yield return Found(
                Severity.Warning,
                $"CPUs {slow} of the plan have the governor powersave: they stay at their lowest frequency.",
                "cpupower frequency-set -g performance (or schedutil)",
                context.File(FileOf(slow.First, "scaling_governor")),
                context.File(FileOf(slow.First, "scaling_driver")));
        }
    }

    // In the active mode of these drivers the hardware chooses, and powersave is the normal mode (admin-guide/pm).
    private static bool IsSlow(CheckContext context, int cpu) =>
        context.Files.Read(FileOf(cpu, "scaling_governor")) == "powersave"
        && !s_scaling.Contains(context.Files.Read(FileOf(cpu, "scaling_driver")));

    private static string FileOf(int cpu, string name) =>
        string.Create(CultureInfo.InvariantCulture, $"sys/devices/system/cpu/cpu{cpu}/cpufreq/{name}");
}

/// <summary>The kernel was started with NUMA off: it sees one node.</summary>
internal sealed class NumaOffCheck() : DoctorCheck("numa-off")
{
    private const string CommandLine = "proc/cmdline";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var words = (context.Files.Read(CommandLine) ?? "").Split(' ');
        foreach (var word in words.Where(static word => word is "numa=off" or "numa=noacpi"))
        {
            yield return Found(
                Severity.Warning,
                $"The kernel was started with {word}: it treats the machine as one node.",
                $"Remove {word} from the kernel's command line and restart the machine.",
                new Evidence($"/{CommandLine}", word));
        }
    }
}
