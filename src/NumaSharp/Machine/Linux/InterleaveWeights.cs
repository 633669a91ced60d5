using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>
/// The weights that MPOL_WEIGHTED_INTERLEAVE uses. They are system-wide (Linux 6.9,
/// Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave), so they are read and never written.
/// </summary>
internal sealed class InterleaveWeights(SysfsReader sysfs)
{
    public const string Folder = "kernel/mm/mempolicy/weighted_interleave";

    /// <summary>The pages that a node gives in each of its turns, 1 to 255; null if there is no such file.</summary>
    public int? WeightOf(int nodeId) => int.TryParse(
        sysfs.Read(string.Create(CultureInfo.InvariantCulture, $"{Folder}/node{nodeId}")).Text,
        NumberStyles.None,
        CultureInfo.InvariantCulture,
        out var weight)
        && weight is > 0 and <= byte.MaxValue
            ? weight
            : null;

    /// <summary>
    /// Whether the kernel chooses them (Linux 6.16): by bandwidth, or 1 where firmware reports none. Before, they are 1 until
    /// they are written.
    /// </summary>
    public bool AreAutomatic => sysfs.Read($"{Folder}/auto").Text == "true";

    /// <summary>Whether they are in the proportion of a placement's.</summary>
    public bool Match(NumaPlacement placement)
    {
        if (placement.Weights.Count != placement.Nodes.Count)
        {
            return false;
        }

        var wanted = placement.Weights;
        int[] actual = [.. placement.Nodes.Select(nodeId => WeightOf(nodeId) ?? 0)];
        return actual.Index().All(pair => pair.Item > 0 && pair.Item * wanted[0] == wanted[pair.Index] * actual[0]);
    }
}
