using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>A machine and what is asked of it.</summary>
internal sealed record PlanCase(NumaTopology Topology, NumaPlanRequest Request)
{
    public override string ToString() =>
        $"{Request}\nnodes:\n{string.Join('\n', Topology.Nodes)}"
        + $"\ncores: {string.Join(' ', Topology.Cores.Select(static c => $"[{c.Cpus}]"))}"
        + $"\ncaches: {string.Join(' ', Topology.LastLevelCaches.Select(static c => $"[{c.Cpus}]"))}"
        + $"\nisolated: {Topology.IsolatedCpus}\ndevices: {string.Join(' ', Topology.NetworkDevices)}";
}
