using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>
/// Shares in proportion to bandwidth, computed as in the kernel (mm/mempolicy.c, reduce_interleave_weights), so that its
/// automatic weights and ours agree.
/// </summary>
internal static class BandwidthWeights
{
    private const int Weightiness = 32;
    private const int CpuInitiators = 1;

    public static ImmutableArray<int> Of(ImmutableArray<NumaNode> nodes, PlanNotes notes)
    {
        long[] bandwidths = [.. nodes.Select(BandwidthOf)];
        var unknown = nodes.Where((_, index) => bandwidths[index] == 0).Select(static node => node.NodeId);
        if (bandwidths.Contains(0))
        {
            notes.Add(
                $"The memory bandwidth of nodes {CpuSet.FromIds(unknown)} is unknown (HMAT); all nodes get the same share.");
            return [.. nodes.Select(static _ => 1)];
        }

        var sum = bandwidths.Sum();
        int[] weights = [.. bandwidths.Select(bandwidth => (int)Math.Max(1, Weightiness * bandwidth / sum))];
        var divisor = weights.Aggregate(0, GreatestCommonDivisor);
        ImmutableArray<int> reduced = [.. weights.Select(weight => weight / divisor)];
        notes.Add(
            $"Nodes {string.Join(',', nodes.Select(static node => node.NodeId))} get shares {string.Join(',', reduced)}, in "
            + "proportion to the bandwidth of their memory (HMAT).");
        return reduced;
    }

    private static long BandwidthOf(NumaNode node)
    {
        var access = node.Access.OrderByDescending(static access => access.AccessClass == CpuInitiators).FirstOrDefault();
        var read = access?.ReadBandwidth ?? 0;
        return Math.Max(0, Math.Min(read, access?.WriteBandwidth ?? read));
    }

    private static int GreatestCommonDivisor(int left, int right) =>
        right == 0 ? left : GreatestCommonDivisor(right, left % right);
}
