using NumaSharp.Core.Linux;

namespace NumaSharp.Core;

/// <summary>
/// Reads the NUMA nodes from sysfs and what this process may use of them from its affinity mask, <c>/proc/self/status</c> and
/// its cgroup's cpuset (versions 1 and 2). With other roots it reads a captured machine, from files only. Thread-safe.
/// </summary>
/// <remarks>
/// Files that cannot be read as expected are in <see cref="NumaTopology.Warnings"/>, with the reading that was used instead.
/// The affinity mask is that of the process's main thread, so that a reading on a pinned thread sees the whole machine.
/// </remarks>
public sealed class LinuxTopologyProvider : INumaTopologyProvider
{
    /// <summary>The provider's name.</summary>
    public const string ProviderName = "Linux";

    private readonly string _sysfsRoot;
    private readonly string _procRoot;
    private IReadOnlyList<string> _partitionFiles = [];

    /// <summary>Creates a provider.</summary>
    /// <param name="options">Where the kernel's files are; <see langword="null"/> for this machine.</param>
    /// <exception cref="ArgumentException">A root is empty.</exception>
    public LinuxTopologyProvider(LinuxTopologyOptions? options = null)
    {
        options ??= new LinuxTopologyOptions();
        ArgumentException.ThrowIfNullOrWhiteSpace(options.SysfsRoot, "options.SysfsRoot");
        ArgumentException.ThrowIfNullOrWhiteSpace(options.ProcRoot, "options.ProcRoot");
        _sysfsRoot = options.SysfsRoot;
        _procRoot = options.ProcRoot;
    }

    /// <inheritdoc/>
    public string Name => ProviderName;

    /// <summary>The files that show whether this process is in an isolated partition, as of the last reading.</summary>
    internal IReadOnlyList<string> PartitionFiles => Volatile.Read(ref _partitionFiles);

    /// <summary>Reads the machine.</summary>
    /// <returns>A snapshot with at least one node and one CPU.</returns>
    /// <exception cref="NumaTopologyException">
    /// The sysfs root does not exist, no online CPU can be found, there are more nodes than a kernel can have, or the tree is
    /// larger than any machine's.
    /// </exception>
    public NumaTopology Read()
    {
        var files = new MachineFiles(_sysfsRoot, _procRoot);
        if (!files.IsLive && !files.Sysfs.Exists)
        {
            throw new NumaTopologyException(files.Sysfs.Root, "does not exist", "SysfsRoot must be a directory like /sys");
        }

        var reader = new LinuxTopologyReader(files);
        var topology = reader.Read(Name);
        Volatile.Write(ref _partitionFiles, reader.PartitionFiles);
        return topology;
    }

    /// <inheritdoc/>
    public string? ReadSignature()
    {
        var files = new MachineFiles(_sysfsRoot, _procRoot);
        return files.IsLive ? LinuxTopologySignature.Read(files, PartitionFiles) : null;
    }

    /// <summary>Reads a node's memory and the kernel's counters: two small files.</summary>
    /// <param name="nodeId">The kernel id of a node, allowed to this process or not.</param>
    /// <returns>
    /// The figures, or <see langword="null"/>: there is no such node. On a kernel without NUMA node 0 has the machine's memory.
    /// The counters are 0 where the kernel keeps none.
    /// </returns>
    /// <exception cref="NumaTopologyException">A file of the node is there and cannot be read or understood.</exception>
    public NumaNodeStatistics? ReadStatistics(NumaNodeId nodeId) =>
        new NodeStatisticsReader(new MachineFiles(_sysfsRoot, _procRoot)).Read(nodeId.Value);
}

/// <summary>Where <see cref="LinuxTopologyProvider"/> finds the kernel's files.</summary>
public sealed class LinuxTopologyOptions
{
    /// <summary>The default of <see cref="SysfsRoot"/>.</summary>
    internal const string DefaultSysfsRoot = "/sys";

    /// <summary>The default of <see cref="ProcRoot"/>.</summary>
    internal const string DefaultProcRoot = "/proc";

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
