namespace NumaSharp.Core.Linux;

/// <summary>The two directories of a machine, live or captured, and what is mounted in it; for one reading.</summary>
internal sealed class MachineFiles
{
    private const int MountTableLimit = 4 * 1024 * 1024;

    private readonly SysfsReader _beside;
    private FileReading? _mounts;
    private FileReading? _cgroups;

    public MachineFiles(string sysfsRoot, string procRoot)
    {
        Sysfs = new SysfsReader(sysfsRoot, Budget);
        Proc = new SysfsReader(procRoot, Budget);
        _beside = new SysfsReader(Path.GetDirectoryName(Proc.Root) ?? Proc.Root, Budget);
        IsLive = OperatingSystem.IsLinux()
            && Sysfs.Root == LinuxTopologyOptions.DefaultSysfsRoot
            && Proc.Root == LinuxTopologyOptions.DefaultProcRoot;
    }

    /// <summary>The rest of this reading's budget: these files are for one reading, on one thread.</summary>
    public ReadingBudget Budget { get; } = new();

    public SysfsReader Sysfs { get; }

    public SysfsReader Proc { get; }

    /// <summary>Whether this is the machine that this process runs on.</summary>
    public bool IsLive { get; }

    /// <summary>The mount table, read once per reading.</summary>
    public FileReading Mounts =>
        _mounts ??= Proc.Read("mounts", MountTableLimit) is { IsMissing: false } mounts
            ? mounts
            : Proc.Read("self/mounts", MountTableLimit);

    /// <summary>The cgroups of this process, as <see cref="Mounts"/>.</summary>
    public FileReading Cgroups => _cgroups ??= Proc.Read("self/cgroup");

    /// <summary>Maps a path of the machine to a file here.</summary>
    public (SysfsReader Reader, string Relative) Resolve(string path)
    {
        const string sysfs = LinuxTopologyOptions.DefaultSysfsRoot;
        return path == sysfs || path.StartsWith(sysfs + "/", StringComparison.Ordinal)
            ? (Sysfs, path[sysfs.Length..])
            : (_beside, path);
    }
}
