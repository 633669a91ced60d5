using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// All that a topology says, as lines, and the machine's counters: two machines are the same if their lines are.
/// </summary>
internal static class TopologyText
{
    public static void AssertSame(string expectedRoot, string actualRoot) => Assert.Equal(Of(expectedRoot), Of(actualRoot));

    /// <summary>The lines; warnings name paths as seen from the root.</summary>
    public static string Of(string root)
    {
        var provider = RealMachines.ProviderOf(root);
        var topology = provider.Read();
        return string.Join('\n', NodesOf(topology, provider).Concat(
        [
            string.Create(CultureInfo.InvariantCulture, $"{topology.Source} limit {topology.MemoryLimitBytes}"),
            $"allowed {topology.AllowedCpus} memory {topology.MemoryNodes} isolated {topology.IsolatedCpus}",
            .. topology.Cores.Select(static core => $"{core}"),
            .. topology.LastLevelCaches.Select(static cache => $"{cache}"),
            .. topology.NetworkDevices.Select(static device => $"{device}"),
            .. topology.Warnings.Select(warning => warning.Replace(root, "", StringComparison.Ordinal)),
        ]));
    }

    // A record's own text leaves out what is in its collections.
    private static IEnumerable<string> NodesOf(NumaTopology topology, LinuxTopologyProvider provider)
    {
        foreach (var node in topology.Nodes)
        {
            yield return $"{node}";
            yield return $"distances {string.Join(' ', node.Distances.OrderBy(static pair => pair.Key))}";
            yield return $"huge pages {string.Join(' ', node.HugePages)}";
            yield return $"access {string.Join(' ', node.Access)}";
            yield return $"statistics {provider.ReadStatistics(node.NodeId)}";
        }
    }
}
