using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Topology;

/// <summary>CPUs of a node that share a package and a last-level cache, core by core.</summary>
/// <param name="Title">The package and the cache, as far as they are known.</param>
/// <param name="Cores">The node's CPUs of each core.</param>
internal sealed record CpuGroup(string Title, IReadOnlyList<CpuSet> Cores)
{
    public static IReadOnlyList<CpuGroup> Of(NumaTopology topology, NumaNode node)
    {
        var cpus = node.OnlineCpus.Union(node.Cpus);
        return
        [
            .. CoresOf(topology, cpus)
                .GroupBy(core => TitleOf(topology, core))
                .Select(static group => new CpuGroup(group.Key, [.. group])),
        ];
    }

    private static IEnumerable<CpuSet> CoresOf(NumaTopology topology, CpuSet cpus)
    {
        var rest = cpus;
        foreach (var cpu in cpus)
        {
            if (rest.Contains(cpu))
            {
                var core = topology.FindCore(cpu)?.Cpus.Intersect(cpus) ?? CpuSet.FromIds(cpu);
                rest = rest.Except(core);
                yield return core;
            }
        }
    }

    private static string TitleOf(NumaTopology topology, CpuSet core)
    {
        var parts = new List<string>();
        if (topology.FindCore(core.First) is { PackageId: >= 0 } known)
        {
            parts.Add($"Package {ToolText.Number(known.PackageId)}");
        }

        if (topology.FindLastLevelCache(core.First) is { } cache)
        {
            var size = cache.SizeBytes > 0 ? " " + SizeText.Format(cache.SizeBytes) : "";
            parts.Add(string.Create(CultureInfo.InvariantCulture, $"L{cache.Level}{size} of {cache.Cpus}"));
        }

        return string.Join(", ", parts);
    }
}
