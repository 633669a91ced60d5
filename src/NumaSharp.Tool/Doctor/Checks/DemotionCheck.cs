using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>Slow memory to which the kernel moves no pages.</summary>
internal sealed class DemotionCheck() : DoctorCheck("memory-demotion")
{
    private const string Switch = "sys/kernel/mm/numa/demotion_enabled";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var slow = CpuSet.FromIds(context.Topology.Nodes
            .Where(static node => node.Kind == NumaNodeKind.Memory)
            .Select(static node => node.NodeId));
        if (!slow.IsEmpty && context.Files.Read(Switch) is "false" or "0")
        {
            yield return Found(
                Severity.Info,
                $"Nodes {slow} have memory and no CPUs, and the kernel does not move cold pages there: it swaps instead.",
                $"echo 1 > /{Switch}, and sysctl -w kernel.numa_balancing=2 to move hot pages back",
                context.File(Switch));
        }
    }
}
