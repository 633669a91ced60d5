using System.Globalization;

namespace NumaSharp.Core.Topology;

/// <summary>Reads the physical cores (Documentation/admin-guide/cputopology.rst).</summary>
internal sealed class CoreReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const int Unknown = -1;

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
        var second = siblings.Count == 1 || core == Unknown ? core : ReadId(siblings.ElementAt(1), "core_id");
        return second == core || second == Unknown
            ? [new NumaCore(package, core, siblings)]
            : siblings.GroupBy(cpu => ReadId(cpu, "core_id"))
                .Select(group => new NumaCore(package, group.Key, CpuSet.FromIds(group)));
    }

    // Some architectures report -1; other odd numbers from firmware are no reason for a warning either.
    private int ReadId(int cpu, string name)
    {
        var reading = sysfs.Read($"{FolderOf(cpu)}/{name}");
        return int.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id : Unknown;
    }

    private static string FolderOf(int cpu) => $"{OnlineCpuReader.Folder}/cpu{cpu}/topology";
}
