using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>Reads the physical cores (Documentation/admin-guide/cputopology.rst).</summary>
internal sealed class CoreReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    // Linux 5.3 renamed thread_siblings to core_cpus; the lists came in 2.6.27, after the masks.
    private static readonly string[] s_siblings =
        ["core_cpus_list", "core_cpus", "thread_siblings_list", "thread_siblings"];

    public IReadOnlyList<NumaCore> Read(CpuSet online)
    {
        var cores = new List<NumaCore>();
        var sharing = new SharingSets(sysfs, warnings, online);
        foreach (var cpu in sharing.Ungrouped)
        {
            var folder = FolderOf(cpu);
            if (sharing.Read(cpu, [.. s_siblings.Select(name => $"{folder}/{name}")]) is { } siblings)
            {
                cores.AddRange(Split(sharing.Add(folder, siblings)));
            }
        }

        return cores;
    }

    // Siblings with core ids of their own are cores that share more than others do (Bulldozer's modules, old firmware with wrong
    // siblings): hwloc treats them as cores, too. Checking the second sibling is enough: machines do not mix both.
    private IEnumerable<NumaCore> Split(CpuSet siblings)
    {
        var first = siblings.First;
        var package = ReadId(first, "physical_package_id");
        var core = ReadId(first, "core_id");
        var second = siblings.Count == 1 || core is null ? core : ReadId(siblings.ElementAt(1), "core_id");
        return second == core || second is null
            ? [new NumaCore(package, core, siblings)]
            : siblings.GroupBy(cpu => ReadId(cpu, "core_id"))
                .Select(group => new NumaCore(package, group.Key, CpuSet.FromIds(group)));
    }

    // Some architectures report -1; other odd numbers from firmware are no reason for a warning either.
    private int? ReadId(int cpu, string name)
    {
        var reading = sysfs.Read($"{FolderOf(cpu)}/{name}");
        return int.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id : null;
    }

    private static string FolderOf(int cpu) => $"{OnlineCpuReader.Folder}/cpu{cpu}/topology";
}

/// <summary>
/// Reads the last-level caches (Documentation/ABI/testing/sysfs-devices-system-cpu): of each CPU the data or unified cache of
/// the highest level.
/// </summary>
internal sealed class CacheReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const int MaxCachesPerCpu = 16;
    private const int MaxLevel = 255;

    public IReadOnlyList<NumaCache> Read(CpuSet online, IReadOnlyList<NumaCore> cores)
    {
        var caches = new List<NumaCache>();
        var coreOf = cores.SelectMany(static core => core.Cpus.Select(cpu => (cpu, core.Cpus))).ToDictionary();
        var sharing = new SharingSets(sysfs, warnings, online);
        foreach (var cpu in sharing.Ungrouped)
        {
            foreach (var (level, folder) in FindDataCaches($"{OnlineCpuReader.Folder}/cpu{cpu}/cache"))
            {
                // Itanium kernels leave the mask of a core's own cache empty.
                var alone = coreOf.GetValueOrDefault(cpu) ?? CpuSet.FromIds(cpu);
                if (ReadSize(folder) is { } size
                    && sharing.Read(cpu, [$"{folder}/shared_cpu_list", $"{folder}/shared_cpu_map"], alone) is { } cpus)
                {
                    caches.Add(new NumaCache(level, size, sharing.Add(folder, cpus)));
                    break;
                }
            }
        }

        return caches;
    }

    private IEnumerable<(int Level, string Folder)> FindDataCaches(string caches) =>
        sysfs.ListNumbered(caches, "index")
            .Take(MaxCachesPerCpu)
            .Select(index => $"{caches}/index{index}")
            .Select(folder => (Level: ReadLevel(folder), Folder: folder))
            .Where(cache => cache.Level > 0 && sysfs.Read($"{cache.Folder}/type").Text != "Instruction")
            .OrderByDescending(static cache => cache.Level);

    private int ReadLevel(string folder)
    {
        var reading = sysfs.Read($"{folder}/level");
        if (int.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var level) && level <= MaxLevel)
        {
            return level;
        }

        warnings.AddUnlessMissing(reading, "the cache is left out");
        return 0;
    }

    // Bytes, 0 if unknown. Old kernels show a cache of 0K that does not exist (the L3 of Knights Landing): null.
    private long? ReadSize(string folder)
    {
        var reading = sysfs.Read($"{folder}/size");
        if (KernelText.TryParseSize(reading.Text, out var bytes))
        {
            return bytes == 0 ? null : bytes;
        }

        warnings.AddUnlessMissing(reading, "the size of the cache is unknown");
        return 0;
    }
}

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
