using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>
/// The weights that MPOL_WEIGHTED_INTERLEAVE uses. They are system-wide (Linux 6.9,
/// Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave), so they are only compared and never written.
/// </summary>
internal sealed class InterleaveWeights(string folder)
{
    public const string Folder = "/sys/kernel/mm/mempolicy/weighted_interleave";

    /// <summary>Whether the system's weights are in the proportion of a placement's.</summary>
    public bool Match(NumaPlacement placement)
    {
        if (placement.Weights.Count != placement.Nodes.Count)
        {
            return false;
        }

        var wanted = placement.Weights;
        var files = new SysfsReader(folder, new ReadingBudget());
        int[] actual = [.. placement.Nodes.Select(nodeId => Read(files, nodeId))];
        return actual.Index().All(pair => pair.Item > 0 && pair.Item * wanted[0] == wanted[pair.Index] * actual[0]);
    }

    private static int Read(SysfsReader files, int nodeId) => int.TryParse(
        files.Read(string.Create(CultureInfo.InvariantCulture, $"node{nodeId}")).Text,
        NumberStyles.None,
        CultureInfo.InvariantCulture,
        out var weight)
        && weight <= byte.MaxValue
            ? weight
            : 0;
}
