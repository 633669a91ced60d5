using NumaSharp.Core;
using NumaSharp.Plugins.Windows;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Machine;

/// <summary>The machine a command works on: this one, a folder with sys and proc, or an archive of such a folder.</summary>
internal sealed class MachineSource : IDisposable
{
    private readonly IDisposable? _extracted;

    private MachineSource(string root, bool isLive, IDisposable? extracted = null)
    {
        Files = new TreeReader(root);
        IsLive = isLive;
        _extracted = extracted;
    }

    /// <summary>The files, as <c>sys/...</c> and <c>proc/...</c>.</summary>
    public TreeReader Files { get; }

    public string SysfsRoot => Files.PathOf("sys");

    public string ProcRoot => Files.PathOf("proc");

    /// <summary>Whether it is the machine this process runs on; never with a root, whatever that is.</summary>
    public bool IsLive { get; }

    /// <exception cref="ToolException">There is no such machine.</exception>
    public static MachineSource Open(string? root)
    {
        if (root is null)
        {
            return new MachineSource("/", isLive: true);
        }

        if (File.Exists(root))
        {
            var extracted = ExtractedArchive.Open(root);
            return new MachineSource(extracted.Root, isLive: false, extracted);
        }

        if (!Directory.Exists(root))
        {
            throw new ToolException(
                $"--root '{root}' does not exist; a folder with sys and proc in it, or a snapshot, is needed.");
        }

        return Directory.Exists(Path.Join(root, "sys"))
            ? new MachineSource(root, isLive: false)
            : throw new ToolException($"--root '{root}' has no folder sys.");
    }

    /// <summary>Reads the topology: of this machine with the platform's own provider, of any other from files only.</summary>
    public NumaTopology ReadTopology() => IsLive
        ? ThisMachine.Platform.Topology.Read()
        : new LinuxTopologyProvider(new LinuxTopologyOptions { SysfsRoot = SysfsRoot, ProcRoot = ProcRoot }).Read();

    public void Dispose() => _extracted?.Dispose();
}

/// <summary>The machine this process runs on.</summary>
internal static class ThisMachine
{
    public static NumaPlatform Platform { get; } = OperatingSystem.IsWindows()
        ? new(new WindowsTopologyProvider(), new WindowsMemoryProvider(), new WindowsAffinityProvider())
        : NumaPlatform.Default;
}
