namespace NumaSharp.Core.Topology;

/// <summary>The two directories of a machine, live or captured, and what is mounted in it.</summary>
internal sealed class MachineFiles
{
    private readonly SysfsReader _beside;

    public MachineFiles(string sysfsRoot, string procRoot)
    {
        Sysfs = new SysfsReader(sysfsRoot);
        Proc = new SysfsReader(procRoot);
        _beside = new SysfsReader(Path.GetDirectoryName(Proc.Root) ?? Proc.Root);
        IsLive = OperatingSystem.IsLinux()
            && Sysfs.Root == LinuxTopologyOptions.DefaultSysfsRoot
            && Proc.Root == LinuxTopologyOptions.DefaultProcRoot;
    }

    public SysfsReader Sysfs { get; }

    public SysfsReader Proc { get; }

    /// <summary>Whether this is the machine that runs us.</summary>
    public bool IsLive { get; }

    /// <summary>Finds where a path of the machine is here.</summary>
    public (SysfsReader Reader, string Relative) Resolve(string path)
    {
        const string sysfs = LinuxTopologyOptions.DefaultSysfsRoot;
        return path == sysfs || path.StartsWith(sysfs + "/", StringComparison.Ordinal)
            ? (Sysfs, path[sysfs.Length..])
            : (_beside, path);
    }
}
