using System.Globalization;

namespace NumaSharp.Core.Topology;

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
