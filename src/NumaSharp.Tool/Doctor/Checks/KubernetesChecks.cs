using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>
/// Whether the kubelet gave the container exclusive CPUs, all of one node (static CPU manager, topology manager).
/// </summary>
internal sealed class KubernetesCpusCheck() : DoctorCheck("kubernetes-cpus")
{
    // Quotas are whole microseconds of a period: 15.99 of 16 CPUs are 16.
    private const double Tolerance = 0.05;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Pod is not { IsPod: true } pod)
        {
            return [];
        }

        var cpus = context.Topology.AllowedCpus;
        var nodes = context.Topology.Nodes.Where(static node => !node.Cpus.IsEmpty).ToArray();
        Evidence[] evidence =
        [
            .. nodes.Select(static node => new Evidence($"node {node.NodeId}", $"CPUs {node.Cpus} of {node.OnlineCpus}")),
            pod.Quota is { } quota ? new Evidence($"/{quota.File}", quota.Text) : context.File("proc/self/cgroup"),
        ];
        return
        [
            IsShared(context, pod) ? Found(
                Severity.Warning,
                $"The container shares CPUs {cpus} of {NamesOf(nodes)} with other pods; {LimitOf(pod)}.",
                "Request a whole number of CPUs, with requests equal to limits, on a kubelet with cpuManagerPolicy: static and "
                + "topologyManagerPolicy: single-numa-node.",
                evidence)
            : nodes.Length > 1 ? Found(
                Severity.Warning,
                $"The kubelet gave the container CPUs {cpus} of {NamesOf(nodes)}: work and memory cross between the nodes.",
                "Set topologyManagerPolicy: single-numa-node on the kubelet, and request no more CPUs than a node has: "
                + $"{context.Topology.Nodes.Max(static node => node.OnlineCpus.Count)}, less those reserved for the system.",
                evidence)
            : Found(
                Severity.Info,
                $"The kubelet gave the container CPUs {cpus}, all on node {nodes[0].NodeId}.",
                "Nothing.",
                evidence),
        ];
    }

    // Exclusive CPUs are as many as the limit, and never the whole machine: some are reserved for the system.
    private static bool IsShared(CheckContext context, PodCgroup pod) =>
        pod.Class is PodClass.Burstable or PodClass.BestEffort
        || (pod.Quota is { } quota
            ? quota.Cpus < context.Topology.AllowedCpus.Count - Tolerance
            : context.Topology.Nodes.All(static node => node.OnlineCpus.Equals(node.Cpus)));

    private static string LimitOf(PodCgroup pod) => pod.Quota is { } quota
        ? string.Create(CultureInfo.InvariantCulture, $"its limit is {quota.Cpus:0.##} CPUs")
        : "it has no limit";

    private static string NamesOf(NumaNode[] nodes) => nodes.Length == 1 ? $"node {nodes[0].NodeId}"
        : $"nodes {CpuSet.FromIds(nodes.Select(static node => node.NodeId))}";
}

/// <summary>Whether this is a pod, and in the class that gets exclusive CPUs.</summary>
internal sealed class KubernetesPodCheck() : DoctorCheck("kubernetes-pod")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Pod is { IsPod: false })
        {
            yield return Found(
                Severity.Error,
                $"This is not a container of a pod: no kubelet made its cgroup, and {PodCgroup.Variable} is not set.",
                "Run it where the application runs (kubectl exec POD -- numasharp doctor --kubernetes), or omit "
                + "--kubernetes.",
                context.File("proc/self/cgroup"));
        }

        if (context.Pod is { Class: PodClass.Burstable or PodClass.BestEffort } pod)
        {
            yield return Found(
                Severity.Warning,
                $"The pod's class is {pod.Class}: the kubelet gives exclusive CPUs, and CPUs of one node, only to class "
                + "Guaranteed.",
                "Set requests equal to limits for cpu and memory of every container, and cpu to a whole number.",
                context.File("proc/self/cgroup"));
        }
    }
}

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

/// <summary>The container has been throttled for using up its quota.</summary>
internal sealed class KubernetesQuotaCheck() : DoctorCheck("kubernetes-throttled")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Pod is { IsPod: true, Throttling: { Throttled: > 0 } throttling })
        {
            yield return Found(
                Severity.Warning,
                $"The container used up its quota in {ToolText.Number(throttling.Throttled)} of "
                + $"{ToolText.Number(throttling.Periods)} periods: all its threads were stopped until the next period.",
                "Raise the CPU limit to a whole number with the static CPU manager; since Kubernetes 1.33 the feature gate "
                + "DisableCPUQuotaWithExclusiveCPUs removes the quota from exclusive CPUs.",
                new Evidence($"/{throttling.File}", $"nr_throttled {ToolText.Number(throttling.Throttled)}"));
        }
    }
}
