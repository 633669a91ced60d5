namespace NumaSharp.Tool.Doctor.Checks;

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
