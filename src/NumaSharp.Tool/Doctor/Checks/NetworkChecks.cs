using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>A network device interrupts CPUs of other nodes than its own.</summary>
internal sealed class InterruptsCheck() : DoctorCheck("irq-affinity")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        foreach (var device in context.Topology.NetworkDevices)
        {
            if (context.HasSeveralNodes
                && device.NodeId is { } id
                && context.Topology.FindNode(id) is { OnlineCpus.IsEmpty: false } node
                && FindAway(context, device, node.OnlineCpus).ToArray() is { Length: > 0 } away)
            {
                yield return Found(
                    Severity.Warning,
                    $"{away.Length} interrupts of {device.Name}, which is on node {id}, go to CPUs of other nodes.",
                    $"Stop irqbalance or give it a policy (IRQBALANCE_BANNED_CPULIST), then for each: echo {node.OnlineCpus} > "
                    + "/proc/irq/N/smp_affinity_list",
                    [.. away]);
            }
        }
    }

    private static IEnumerable<Evidence> FindAway(CheckContext context, NumaNetworkDevice device, CpuSet near)
    {
        foreach (var irq in NetworkDeviceFiles.Interrupts(context.Files, $"sys/class/net/{device.Name}/device"))
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
