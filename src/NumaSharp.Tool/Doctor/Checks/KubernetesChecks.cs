using System.Globalization;
using NumaSharp.Core;
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
