using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>Whether the kubelet confined the container's memory to the nodes of its CPUs (memory manager).</summary>
internal sealed class KubernetesMemoryCheck() : DoctorCheck("kubernetes-memory")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var cpuNodes = CpuSet.FromIds(
            context.Topology.Nodes.Where(static node => !node.Cpus.IsEmpty).Select(static node => node.NodeId));
        var others = context.Topology.MemoryNodes.Except(cpuNodes);
        if (context.Pod is not { IsPod: true } || others.IsEmpty)
        {
            yield break;
        }

        yield return Found(
            Severity.Info,
            $"The container has CPUs of nodes {cpuNodes} and may use memory of nodes {context.Topology.MemoryNodes}: memory "
            + $"that AddNuma() does not place comes from nodes {others} when the others are full.",
            "Set memoryManagerPolicy: Static with reservedMemory on the kubelet; it applies to pods of class Guaranteed.",
            new Evidence("cpuset.mems", $"{context.Topology.MemoryNodes}"));
    }
}
