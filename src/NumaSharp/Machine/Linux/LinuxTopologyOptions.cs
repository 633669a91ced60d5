namespace NumaSharp.Core;

/// <summary>Where <see cref="LinuxTopologyProvider"/> finds the kernel's files.</summary>
public sealed class LinuxTopologyOptions
{
    /// <summary>The default of <see cref="SysfsRoot"/>.</summary>
    public const string DefaultSysfsRoot = "/sys";

    /// <summary>The default of <see cref="ProcRoot"/>.</summary>
    public const string DefaultProcRoot = "/proc";

    /// <summary>The directory that is read as <c>/sys</c> (sysfs(5)).</summary>
    /// <value>Default <c>/sys</c>. Anything else must exist.</value>
    public string SysfsRoot { get; set; } = DefaultSysfsRoot;

    /// <summary>
    /// The directory that is read as <c>/proc</c> (proc(5)). Cgroup file systems that its mount table names outside of
    /// <c>/sys</c> are looked for beside it.
    /// </summary>
    /// <value>Default <c>/proc</c>. May be missing: then every online CPU and node is allowed.</value>
    public string ProcRoot { get; set; } = DefaultProcRoot;
}
