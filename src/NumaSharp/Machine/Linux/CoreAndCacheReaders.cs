using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Core.Topology;

/// <summary>
/// Reads which CPUs share a core or a cache, and forms disjoint groups: CPUs of an earlier group are skipped, so that the number
/// of files grows with the number of groups.
/// </summary>
internal sealed class SharingSets(SysfsReader sysfs, TopologyWarnings warnings, CpuSet online)
{
    private readonly CpuSet _online = online.Intersect(CpuSet.Range(0, OnlineCpuReader.MaxInspected));
    private CpuSet _grouped = CpuSet.Empty;

    /// <summary>The CPUs that are in no group yet; groups may be added while it is enumerated.</summary>
    public IEnumerable<int> Ungrouped => _online.Where(cpu => !_grouped.Contains(cpu));

    /// <summary>The online CPUs that share something with a CPU, itself among them.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="files">The files that may have it, best first; those called <c>_list</c> are lists, others are masks.</param>
    /// <param name="whenEmpty">What an empty set stands for; without it an empty set is as wrong as any without the CPU.</param>
    /// <returns>The set, or <see langword="null"/> if no file has it.</returns>
    public CpuSet? Read(int cpu, ReadOnlySpan<string> files, CpuSet? whenEmpty = null)
    {
        CpuSet? second = null;
        foreach (var file in files)
        {
            var reading = sysfs.Read(file);
            if (!TryParse(reading, out var named))
            {
                warnings.AddUnlessMissing(reading, "another file with the same data is used, if any");
            }
            else if (named.Contains(cpu))
            {
                return named.Intersect(_online);
            }
            else if (named.IsEmpty && whenEmpty is not null)
            {
                second = whenEmpty;
            }
            else
            {
                warnings.Add($"{reading.Path}: '{reading.Value}' does not name CPU {cpu} itself; it is not used.");
            }
        }

        return second;
    }

    /// <summary>Creates a group of the CPUs that are not in another.</summary>
    public CpuSet Add(string source, CpuSet cpus)
    {
        var taken = cpus.Intersect(_grouped);
        if (!taken.IsEmpty)
        {
            warnings.Add(
                $"{sysfs.PathOf(source)}: CPUs {NumaTopologyException.Quote(taken.ToString())} are in another group by the files "
                + "of an earlier CPU; they stay there.");
        }

        _grouped = _grouped.Union(cpus);
        return cpus.Except(taken);
    }

    private static bool TryParse(FileReading reading, [NotNullWhen(true)] out CpuSet? set)
    {
        set = null;
        return reading.Succeeded && (reading.Path.EndsWith("_list", StringComparison.Ordinal)
            ? KernelText.TryParseList(reading.Text, out set)
            : CpuSet.TryParseMask(reading.Text, out set));
    }
}
