namespace NumaSharp.Playground.Cluster;

/// <summary>How many CPUs pods ask for: mostly few, some half a node, one in twenty more than a node of 16 has.</summary>
internal static class PodSizes
{
    private static readonly int[] s_mix = [2, 4, 8, 2, 6, 4, 12, 2, 8, 4, 2, 16, 4, 6, 2, 10, 4, 8, 3, 24];

    public static IEnumerable<int> Take(int count) => Enumerable.Range(0, count).Select(static pod => s_mix[pod % s_mix.Length]);
}
