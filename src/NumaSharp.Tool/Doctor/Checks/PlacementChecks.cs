using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The memory of a node of the plan is nearly used up.</summary>
internal sealed class FreeMemoryCheck() : DoctorCheck("low-memory")
{
    private const int MinPercent = 5;
    private const long BytesPerKilobyte = 1024;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var used = context.Plan.Nodes.Select(static node => node.MemoryNodeId).Distinct();
        foreach (var node in used.Select(context.Topology.FindNode).OfType<NumaNode>().Where(static node => node.MemoryBytes > 0))
        {
            var file = $"sys/devices/system/node/node{ToolText.Number(node.NodeId)}/meminfo";
            var available = Available(context.Files.Read(file));
            if (available is { } bytes && bytes < node.MemoryBytes / 100 * MinPercent)
            {
                yield return Found(
                    Severity.Warning,
                    $"Node {node.NodeId} has {SizeText.Format(bytes)} of {SizeText.Format(node.MemoryBytes)} free, page cache "
                    + "included: when it is full, memory comes from other nodes.",
                    "Find the processes that use it (numastat -m, numastat -p PID), or exclude the node: Numa:Binding:Nodes.",
                    new Evidence($"/{file}", $"free and file pages {SizeText.Format(bytes)}"));
            }
        }
    }

    // Nodes have no MemAvailable; free pages and page cache are what can be allocated without swapping.
    private static long? Available(string? meminfo)
    {
        long? sum = null;
        foreach (var line in (meminfo ?? "").Split('\n'))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words is [.., var name, var value, "kB"]
                && name is "MemFree:" or "Active(file):" or "Inactive(file):"
                && long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var kilobytes)
                && kilobytes <= long.MaxValue / BytesPerKilobyte / 4)
            {
                sum = (sum ?? 0) + (kilobytes * BytesPerKilobyte);
            }
        }

        return sum;
    }
}
