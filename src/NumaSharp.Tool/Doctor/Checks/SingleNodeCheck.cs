using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>One node, on the machine or for this process: no memory is remote.</summary>
internal sealed class SingleNodeCheck() : DoctorCheck("single-node")
{
    private const string Online = "sys/devices/system/node/online";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.HasSeveralNodes)
        {
            yield break;
        }

        var isConfined = CpuSet.TryParseList(context.Files.Read(Online), out var online)
            && !online.Except(CpuSet.FromIds(context.Topology.Nodes.Select(static node => node.NodeId))).IsEmpty;
        yield return Found(
            Severity.Info,
            (isConfined ? $"The process may use only one of the machine's nodes {online}" : "There is one node")
            + ": threads and memory cannot be on the wrong one.",
            isConfined
                ? "Nothing."
                : "Nothing. If the machine has several sockets, look for 'node interleaving' and 'NPS' in its firmware.",
            context.File(Online));
    }
}
