namespace NumaSharp.Core.Planning;

/// <summary>Which nodes run event loops.</summary>
internal static class LoopNodes
{
    public static bool IsAuto(string name) =>
        name.Equals(NumaPlanRequest.AutoNetworkDevice, StringComparison.OrdinalIgnoreCase);

    public static IEnumerable<NumaNetworkDevice> Wanted(NumaTopology topology, string name) =>
        topology.NetworkDevices.Where(device => IsAuto(name) || device.Name == name);

    /// <summary>The kernel ids of the nodes with loops, among those that have workers.</summary>
    public static CpuSet Select(NumaTopology topology, NumaPlanRequest request, IReadOnlyList<NumaNode> workers, PlanNotes notes)
    {
        var all = CpuSet.FromIds(workers.Select(static node => node.NodeId));
        if (request.NetworkDevice is not { } name)
        {
            return all;
        }

        var selected = CpuSet.Empty;
        foreach (var device in Wanted(topology, name))
        {
            if (device.NodeId is not { } nodeId)
            {
                notes.Add(
                    $"The node of network interface {device.Name} is unknown; it is ignored when placing loops.");
                continue;
            }

            var nearest = Nearest(topology, nodeId, workers);
            selected = selected.Union(CpuSet.FromIds(nearest.Value));
            notes.Add(nearest == nodeId
                ? $"Network interface {device.Name} is attached to node {nodeId}: loops run there."
                : $"Network interface {device.Name} is attached to node {nodeId}, which has no CPU in the plan: loops run on the "
                    + $"nearest, node {nearest}.");
        }

        if (selected.IsEmpty)
        {
            notes.Add("The node of every network interface is unknown: every node with CPUs runs loops.");
            return all;
        }

        return selected;
    }

    // A device may be on a node that this process may not use; then only the workers' own distances are known.
    private static NumaNodeId Nearest(NumaTopology topology, NumaNodeId nodeId, IReadOnlyList<NumaNode> workers) => workers
        .OrderBy(worker => worker.Id != nodeId)
        .ThenBy(worker => topology.FindNode(nodeId) is null
            ? topology.GetDistance(worker.Id, nodeId)
            : topology.GetDistance(nodeId, worker.Id))
        .ThenBy(static worker => worker.Id)
        .First()
        .Id;
}
