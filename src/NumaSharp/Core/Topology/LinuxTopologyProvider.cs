using NumaSharp.Core.Topology;

namespace NumaSharp.Core;

/// <summary>
/// Reads the NUMA nodes from sysfs and what this process may use of them from its affinity mask, <c>/proc/self/status</c> and
/// its cgroup's cpuset (versions 1 and 2). With other roots it reads a captured machine, from files only. Thread-safe.
/// </summary>
/// <remarks>
/// What cannot be read as it should is in <see cref="NumaTopology.Warnings"/>, with the reading that was used instead.
/// The affinity mask is that of the process's main thread, so that a reading on a pinned thread sees the whole machine.
/// </remarks>
public sealed class LinuxTopologyProvider : INumaTopologyProvider
{
    /// <summary>The provider's name.</summary>
    public const string ProviderName = "Linux";

    private readonly MachineFiles _files;

    /// <summary>Makes a provider.</summary>
    /// <param name="options">Where the kernel's files are; <see langword="null"/> for this machine.</param>
    /// <exception cref="ArgumentException">A root is empty.</exception>
    public LinuxTopologyProvider(LinuxTopologyOptions? options = null)
    {
        options ??= new LinuxTopologyOptions();
        ArgumentException.ThrowIfNullOrWhiteSpace(options.SysfsRoot, "options.SysfsRoot");
        ArgumentException.ThrowIfNullOrWhiteSpace(options.ProcRoot, "options.ProcRoot");
        _files = new MachineFiles(options.SysfsRoot, options.ProcRoot);
    }

    /// <inheritdoc/>
    public string Name => ProviderName;

    /// <summary>Reads the machine.</summary>
    /// <returns>A snapshot with at least one node and one CPU.</returns>
    /// <exception cref="NumaTopologyException">
    /// The sysfs root does not exist, no online CPU can be found, or there are more nodes than a kernel can have.
    /// </exception>
    public NumaTopology Read()
    {
        if (!_files.IsLive && !_files.Sysfs.Exists)
        {
            throw new NumaTopologyException(_files.Sysfs.Root, "does not exist", "SysfsRoot must be a directory like /sys");
        }

        return new LinuxTopologyReader(_files).Read(Name);
    }

    /// <inheritdoc/>
    public string? ReadSignature() => LinuxTopologySignature.Read(_files);
}
