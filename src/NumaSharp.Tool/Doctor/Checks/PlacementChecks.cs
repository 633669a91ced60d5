using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The memory of a node of the plan is nearly used up.</summary>
internal sealed class FreeMemoryCheck() : DoctorCheck("low-memory")
{
    private const int MinPercent = 5;
    private const long BytesPerKilobyte = 1024;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var used = context.Plan.Nodes.Select(static node => node.MemoryNodeId).Distinct();
        foreach (var node in used.Select(context.Topology.FindNode).OfType<NumaNode>().Where(static node => node.MemoryBytes > 0))
        {
            var file = $"sys/devices/system/node/node{ToolText.Number(node.NodeId)}/meminfo";
            var available = Available(context.Files.Read(file));
            if (available is { } bytes && bytes < node.MemoryBytes / 100 * MinPercent)
            {
                yield return Found(
                    Severity.Warning,
                    $"Node {node.NodeId} has {SizeText.Format(bytes)} of {SizeText.Format(node.MemoryBytes)} free, page cache "
                    + "included: when it is full, memory comes from other nodes.",
                    "Find the processes that use it (numastat -m, numastat -p PID), or exclude the node: Numa:Binding:Nodes.",
                    new Evidence($"/{file}", $"free and file pages {SizeText.Format(bytes)}"));
            }
        }
    }

    // Nodes have no MemAvailable; free pages and page cache are what can be allocated without swapping.
    private static long? Available(string? meminfo)
    {
        long? sum = null;
        foreach (var line in (meminfo ?? "").Split('\n'))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words is [.., var name, var value, "kB"]
                && name is "MemFree:" or "Active(file):" or "Inactive(file):"
                && long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var kilobytes)
                && kilobytes <= long.MaxValue / BytesPerKilobyte / 4)
            {
                sum = (sum ?? 0) + (kilobytes * BytesPerKilobyte);
            }
        }

        return sum;
    }
}

/// <summary>
/// CPUs that the scheduler does not balance: a plan omits them or gives each thread its own; the runtime's own threads pile up on
/// one of them.
/// </summary>
internal sealed class IsolatedCpusCheck() : DoctorCheck("isolated-cpus")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var allowed = context.Topology.AllowedCpus;
        var isolated = allowed.Intersect(context.Topology.IsolatedCpus);
        if (isolated.Count > 1 && isolated.Count == allowed.Count)
        {
            yield return Found(
                Severity.Warning,
                $"All CPUs that the process may use ({isolated}) are isolated: the kernel does not move threads between them, so "
                + "threads of the thread pool and the GC stay on the CPU where they started.",
                "Also allow the process some CPUs that are not isolated, and name the isolated ones in Numa:Binding:Cpus.",
                Isolated(context));
        }

        var request = context.Plan.Request;
        var idle = isolated.Except(context.Plan.Cpus).Except(request.ReservedCpus);
        if (request is { Enabled: true, Cpus: null } && !idle.IsEmpty)
        {
            yield return Found(
                Severity.Info,
                $"CPUs {idle} are isolated and left out of the plan.",
                $"If they are meant for this service, set Numa:Binding:Cpus={allowed}. Otherwise, nothing.",
                Isolated(context));
        }
    }

    private static Evidence Isolated(CheckContext context) => new("isolated CPUs", context.Topology.IsolatedCpus.ToString());
}

/// <summary>The process is confined to CPUs of several nodes, but not to whole nodes.</summary>
internal sealed class CpusetCheck() : DoctorCheck("cpuset-spans-nodes")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var nodes = context.Topology.Nodes.Where(static node => !node.Cpus.IsEmpty).ToArray();
        var torn = nodes.Where(static node => !node.OnlineCpus.IsSubsetOf(node.Cpus)).ToArray();
        if (nodes.Length < 2 || torn.Length == 0)
        {
            yield break;
        }

        var best = nodes.MaxBy(static node => node.Cpus.Count)!;
        yield return Found(
            Severity.Warning,
            $"The process may use CPUs {context.Topology.AllowedCpus} on {nodes.Length} nodes, but only a part of the CPUs of "
            + $"nodes {Ids(torn)}. Work and memory cross between the nodes.",
            $"Give it whole nodes: cpuset.cpus={best.OnlineCpus} and cpuset.mems={best.NodeId} (docker --cpuset-cpus "
            + "--cpuset-mems; Kubernetes: topology manager policy single-numa-node).",
            [
                context.File("proc/self/cgroup"),
                .. torn.Select(static node => new Evidence($"node {node.NodeId}", $"CPUs {node.Cpus} of {node.OnlineCpus}")),
            ]);
    }

    private static CpuSet Ids(IEnumerable<NumaNode> nodes) => CpuSet.FromIds(nodes.Select(static node => node.NodeId));
}

/// <summary>One node, on the machine or for this process: no memory is remote.</summary>
internal sealed class SingleNodeCheck() : DoctorCheck("single-node")
{
    private const string Online = "sys/devices/system/node/online";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.HasSeveralNodes)
        {
            yield break;
        }

        var isConfined = CpuSet.TryParseList(context.Files.Read(Online), out var online)
            && !online.Except(CpuSet.FromIds(context.Topology.Nodes.Select(static node => node.NodeId))).IsEmpty;
        yield return Found(
            Severity.Info,
            (isConfined ? $"The process may use only one of the machine's nodes {online}" : "There is one node")
            + ": threads and memory cannot be on the wrong one.",
            isConfined
                ? "Nothing."
                : "Nothing. If the machine has several sockets, look for 'node interleaving' and 'NPS' in its firmware.",
            context.File(Online));
    }
}

/// <summary>The process may use a node's CPUs, but not its memory.</summary>
internal sealed class ForbiddenMemoryCheck() : DoctorCheck("memory-forbidden")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        foreach (var node in context.Topology.Nodes.Where(IsTorn))
        {
            yield return Found(
                Severity.Warning,
                $"The process may use CPUs {node.Cpus} of node {node.NodeId}, but not its memory: all memory they use is remote.",
                $"Add {node.NodeId} to cpuset.mems, or remove CPUs {node.Cpus} from cpuset.cpus (or from Numa:Binding:Cpus).",
                new Evidence($"node {node.NodeId}", $"CPUs {node.Cpus}"),
                new Evidence("memory of nodes", context.Topology.MemoryNodes.ToString()));
        }
    }

    private static bool IsTorn(NumaNode node) =>
        !node.Cpus.IsEmpty && node is { MemoryBytes: > 0, IsMemoryAllowed: false };
}

/// <summary>The machine's files contradict themselves or cannot be parsed.</summary>
internal sealed class TopologyWarningsCheck() : DoctorCheck("topology-files")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Topology.Warnings.Count > 0)
        {
            yield return Found(
                Severity.Info,
                "Some files that describe the machine are missing or contradict each other; the topology is read from the rest.",
                FallbackCatalog.TopologyRead.Remedy,
                [.. context.Topology.Warnings.Select(static warning => new Evidence("topology", warning))]);
        }
    }
}
