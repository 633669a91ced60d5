using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>A network device interrupts CPUs of nodes that serve no connections.</summary>
internal sealed class InterruptsCheck() : DoctorCheck("irq-affinity")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var near = CpuSet.UnionOf(context.Topology.Nodes
            .Where(node => context.LoopNodes.Contains(node.Id.Value))
            .Select(static node => node.OnlineCpus));
        foreach (var device in context.Topology.NetworkDevices)
        {
            if (context.HasSeveralNodes
                && !near.IsEmpty
                && FindAway(context, device, near).ToArray() is { Length: > 0 } away)
            {
                yield return Found(
                    Severity.Warning,
                    $"{away.Length} interrupts of {device.Name} go to CPUs of nodes without event loops.",
                    "Stop irqbalance, then, with the same settings: numasharp tune --apply",
                    [.. away]);
            }
        }
    }

    private static IEnumerable<Evidence> FindAway(CheckContext context, NumaNetworkDevice device, CpuSet near)
    {
        // Others than those of queues are rare, and stay where they are.
        var queues = NetworkQueues.TryRead(context.Files, device, out _);
        var interrupts = queues is null
            ? NetworkDeviceFiles.Interrupts(context.Files, $"sys/class/net/{device.Name}/device")
            : queues.Receive.Concat(queues.Send.OfType<int>()).Distinct();
        foreach (var irq in interrupts)
        {
            if (FindTargets(context, irq) is var (file, cpus) && !cpus.IsEmpty && !cpus.Overlaps(near))
            {
                yield return new Evidence($"/{file}", cpus.ToString());
            }
        }
    }

    // The actual target CPUs; kernels before 4.15 report only the allowed ones.
    private static (string File, CpuSet Cpus)? FindTargets(CheckContext context, int irq)
    {
        foreach (var name in new List<string> { "effective_affinity_list", "smp_affinity_list" })
        {
            var file = string.Create(CultureInfo.InvariantCulture, $"proc/irq/{irq}/{name}");
            if (context.Files.ReadList(file) is { } cpus)
            {
                return (file, cpus);
            }
        }

        return null;
    }
}

/// <summary>Packets arrive on a node that serves no connections.</summary>
internal sealed class NetworkNodeCheck() : DoctorCheck("network-node")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var loops = context.LoopNodes;
        foreach (var device in context.Topology.NetworkDevices)
        {
            if (context.HasSeveralNodes && device.NodeId is { } node && !loops.Contains(node.Value))
            {
                yield return Found(
                    Severity.Warning,
                    $"{device.Name} is attached to node {node}, but the event loops are on nodes {loops}: every packet crosses "
                    + "between nodes.",
                    $"Use node {node}: Numa:Binding:Nodes={node}, or another network device.",
                    new Evidence($"/sys/class/net/{device.Name}/device", $"numa_node {node}"));
            }
        }
    }
}

/// <summary>Received packets are processed on few CPUs, or on nodes without loops.</summary>
internal sealed class SoftirqCheck() : DoctorCheck("softirq-share")
{
    private const string Counts = "proc/net/softnet_stat";

    // Fewer say nothing about a service: a machine that has just started has received some.
    private const long MinPackets = 100_000;
    private const int ManyCpus = 4;
    private const int CpuColumn = 12;
    private const double Most = 0.5;
    private const double Some = 0.1;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var counts = Read(context.Files.Read(Counts) ?? "");
        double all = counts.Values.Sum();
        var loops = CpuSet.UnionOf(context.Plan.Nodes.SelectMany(static node => node.LoopCpus));
        if (all < MinPackets || loops.IsEmpty)
        {
            yield break;
        }

        var (busiest, most) = counts.MaxBy(static count => count.Value);
        if (loops.Count >= ManyCpus && most / all > Most)
        {
            yield return Found(
                Severity.Info,
                $"By the kernel's counters CPU {busiest} has processed {Percent(most / all)} of the packets that this machine "
                + $"has received; {loops.Count} CPUs run event loops.",
                "More queues: ethtool -L. Their interrupts on the CPUs of the loops: numasharp tune",
                Shares(counts, all));
        }

        var away = counts.Where(count => IsAway(context, count.Key)).Sum(static count => count.Value);
        if (away / all > Some)
        {
            yield return Found(
                Severity.Info,
                $"By the kernel's counters {Percent(away / all)} of the packets that this machine has received were processed on "
                + "nodes without event loops.",
                "Interrupts on the CPUs of the loops: numasharp tune",
                Shares(counts, all));
        }
    }

    private static bool IsAway(CheckContext context, int cpu) =>
        context.Topology.Nodes.FirstOrDefault(node => node.OnlineCpus.Contains(cpu)) is { } node
        && !context.LoopNodes.Contains(node.Id.Value);

    private static Evidence Shares(Dictionary<int, long> counts, double all) => new(
        $"/{Counts}",
        string.Join(", ", counts.OrderByDescending(static count => count.Value).Take(ManyCpus)
            .Select(count => $"CPU {count.Key} {Percent(count.Value / all)}")));

    private static string Percent(double share) => string.Create(CultureInfo.InvariantCulture, $"{100 * share:0} %");

    // A row per online CPU: the packets first, all hexadecimal; the CPU's number since Linux 5.10.
    private static Dictionary<int, long> Read(string text)
    {
        var counts = new Dictionary<int, long>();
        foreach (var (row, line) in text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Index())
        {
            var columns = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (TryParse(columns.ElementAtOrDefault(0), out var packets))
            {
                counts[TryParse(columns.ElementAtOrDefault(CpuColumn), out var cpu) ? (int)cpu : row] = packets;
            }
        }

        return counts;
    }

    private static bool TryParse(string? text, out uint number) =>
        uint.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out number);
}

/// <summary>The kernel limits the accept queue to less than the setting.</summary>
internal sealed class BacklogCheck() : DoctorCheck("listen-backlog")
{
    private const string Limit = "proc/sys/net/core/somaxconn";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var wanted = context.Options.Transport.Backlog;
        if (context.Options.Transport.Enabled && context.Files.ReadNumber(Limit) is { } limit && limit < wanted)
        {
            yield return Found(
                Severity.Warning,
                $"Numa:Transport:Backlog is {wanted}, but the kernel caps the accept queue at {limit}.",
                $"sysctl -w net.core.somaxconn={wanted}",
                context.File(Limit));
        }
    }
}
