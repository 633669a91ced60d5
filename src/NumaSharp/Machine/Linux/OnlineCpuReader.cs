namespace NumaSharp.Core.Linux;

/// <summary>Finds the CPUs that are online (cputopology.rst; sysfs-devices-system-cpu).</summary>
internal sealed class OnlineCpuReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    public const string Folder = "devices/system/cpu";

    /// <summary>
    /// NR_CPUS of the widest kernel. The folders of CPUs beyond are not read, so that a wrong list costs little.
    /// </summary>
    public const int MaxInspected = 8192;

    /// <summary>Reads cpu/online; on kernels without it, the directories of the CPUs and their online files.</summary>
    /// <param name="running">CPUs that are online for certain, because the kernel lets us run on them.</param>
    public CpuSet Read(CpuSet running)
    {
        var online = sysfs.Read($"{Folder}/online");
        if (!online.Succeeded || !KernelText.TryParseList(online.Text, out var shown) || shown.IsEmpty)
        {
            warnings.AddUnlessMissing(online, "the CPUs' directories are used instead");
            shown = CpuSet.FromIds(sysfs.ListNumbered(Folder, "cpu").Take(MaxInspected).Where(IsOnline));
        }

        // Containers with an emulated sysfs (lxcfs) number CPUs from 0.
        var hidden = running.Except(shown);
        if (!hidden.IsEmpty)
        {
            warnings.Add(
                $"{online.Path}: CPUs {NumaTopologyException.Quote(hidden.ToString())} are not shown, but the affinity mask has "
                + "them; they count as online.");
            shown = shown.Union(running);
        }

        return shown.IsEmpty
            ? throw new NumaTopologyException(
                online.Path,
                online.Value,
                "a list of online CPUs such as '0-3', or directories cpu0, cpu1, ... beside it, are needed")
            : shown;
    }

    // A CPU that cannot be taken offline has no such file.
    private bool IsOnline(int cpu)
    {
        var reading = sysfs.Read($"{Folder}/cpu{cpu}/online");
        return !reading.Succeeded || reading.Text != "0";
    }
}
