namespace NumaSharp.Core.Topology;

/// <summary>Finds the CPUs that are online (cputopology.rst; sysfs-devices-system-cpu).</summary>
internal sealed class OnlineCpuReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const string Folder = "devices/system/cpu";
    private const int MaxInspected = 8192;

    /// <summary>Reads cpu/online; on kernels without it, the directories of the CPUs and what each says of itself.</summary>
    public CpuSet Read(CpuSet? affinity)
    {
        var online = sysfs.Read($"{Folder}/online");
        if (online.Succeeded && CpuSet.TryParseList(online.Text, out var set) && !set.IsEmpty)
        {
            return set;
        }

        warnings.AddUnlessMissing(online, "the directories of the CPUs are counted");
        var directories = CpuSet.FromIds(sysfs.ListNumbered(Folder, "cpu").Take(MaxInspected).Where(IsOnline));
        if (!directories.IsEmpty)
        {
            return directories;
        }

        if (affinity is { IsEmpty: false })
        {
            warnings.Add($"{sysfs.PathOf(Folder)}: no CPUs are shown; those of the affinity mask, {affinity}, are used.");
            return affinity;
        }

        throw new NumaTopologyException(
            online.Path, online.Describe(), "a list of online CPUs such as '0-3', or directories cpu0, cpu1, ... beside it, are needed");
    }

    // A CPU that cannot be taken offline has no such file.
    private bool IsOnline(int cpu)
    {
        var reading = sysfs.Read($"{Folder}/cpu{cpu}/online");
        return !reading.Succeeded || reading.Text != "0";
    }
}
