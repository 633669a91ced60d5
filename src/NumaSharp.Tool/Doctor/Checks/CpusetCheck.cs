using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

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
