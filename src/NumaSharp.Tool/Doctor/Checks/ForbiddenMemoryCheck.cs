using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

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
