using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>Cores and last-level caches from the records, without inactive and duplicate CPUs.</summary>
internal sealed class HardwareReader(ProcessorInformation processors, List<string> warnings)
{
    /// <summary>Windows has no ids for packages and cores: they are numbered in the order of the records.</summary>
    public List<NumaCore> ReadCores()
    {
        var cores = new List<NumaCore>();
        var coresOfPackage = new Dictionary<int, int>();
        var seen = CpuSet.Empty;
        foreach (var record in processors.Cores)
        {
            var cpus = record.Intersect(processors.ActiveCpus).Except(seen);
            if (record.Overlaps(seen))
            {
                warnings.Add($"CPUs {record.Intersect(seen)} are in two cores; the first keeps them.");
            }

            if (!cpus.IsEmpty)
            {
                var package = FindPackage(cpus.First);
                var number = coresOfPackage.GetValueOrDefault(package);
                coresOfPackage[package] = number + 1;
                cores.Add(new NumaCore(package < 0 ? null : package, number, cpus));
                seen = seen.Union(cpus);
            }
        }

        return cores;
    }

    /// <summary>Every CPU belongs to its cache of the highest level.</summary>
    public List<NumaCache> ReadLastLevelCaches()
    {
        var caches = new List<NumaCache>();
        var seen = CpuSet.Empty;
        foreach (var record in processors.Caches.OrderByDescending(static cache => cache.Level))
        {
            var cpus = record.Cpus.Intersect(processors.ActiveCpus).Except(seen);
            if (!cpus.IsEmpty)
            {
                caches.Add(new NumaCache(record.Level, record.SizeBytes, cpus));
                seen = seen.Union(cpus);
            }
        }

        return caches;
    }

    // -1 for none.
    private int FindPackage(int cpu)
    {
        for (var package = 0; package < processors.Packages.Count; package++)
        {
            if (processors.Packages[package].Contains(cpu))
            {
                return package;
            }
        }

        return -1;
    }
}
