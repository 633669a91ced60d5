using System.Globalization;
using NumaSharp.Interop;

namespace NumaSharp.Core.Linux;

/// <summary>
/// Where the kernel counts for how long tasks of this process's cgroup waited for memory (memory.pressure; accounting/psi.rst),
/// and how often its limits were met and those above it (memory.events.local; cgroup-v2.rst, "Memory"). Without a cgroup that has
/// memory, the machine's tasks count (/proc/pressure/memory). Version 1 of cgroups has no such files.
/// </summary>
internal sealed class MemoryPressureFiles
{
    // What happens at a limit counts in all cgroups above it, too (memory.events): that of neighbours would count here.
    private const string OwnEvents = $"{CgroupReader.Memory}.events.local";
    private const string Stalls = $"{CgroupReader.Memory}.pressure";

    private readonly IReadOnlyList<string> _events;
    private readonly string? _stalls;

    private MemoryPressureFiles(IReadOnlyList<string> events, string? stalls) => (_events, _stalls) = (events, stalls);

    public static MemoryPressureFiles Find(string sysfsRoot, string procRoot)
    {
        var files = new MachineFiles(sysfsRoot, procRoot);
        var hierarchies = new CgroupReader(files, new TopologyWarnings(), CgroupReader.Memory).FindHierarchies().ToArray();
        string[] folders =
        [
            .. hierarchies.Where(static found => found.Mount.IsVersion2)
                .SelectMany(static found => found.Mount.FoldersOf(found.Path))
                .Select(folder => PathOf(files, folder)),
        ];
        string[] machine = hierarchies.Length == 0 ? [files.Proc.PathOf("pressure/memory")] : [];
        return new MemoryPressureFiles(
            [.. PathsOf(folders, OwnEvents)],
            PathsOf(folders, Stalls).Concat(machine.Where(File.Exists)).FirstOrDefault());
    }

    /// <summary>The counts until now; <see langword="null"/> where there are none, as where the kernel has PSI off.</summary>
    public MemoryPressure? Read()
    {
        if (_stalls is null || StallsIn(_stalls) is not { } stalled)
        {
            return null;
        }

        long limits = 0;
        foreach (var path in _events)
        {
            if (LimitsIn(path) is not { } count)
            {
                return null;
            }

            limits += count;
        }

        return new MemoryPressure(limits, stalled);
    }

    private static long? LimitsIn(string path)
    {
        long? sum = null;
        foreach (var line in Lines(path))
        {
            if (line is ["high" or "max", var count] && Number(count) is { } number)
            {
                sum = (sum ?? 0) + number;
            }
        }

        return sum;
    }

    private static long? StallsIn(string path)
    {
        const string Total = "total=";
        foreach (var line in Lines(path))
        {
            if (line is ["some", .., var total] && total.StartsWith(Total, StringComparison.Ordinal))
            {
                return Number(total.AsSpan(Total.Length));
            }
        }

        return null;
    }

    private static IEnumerable<string> PathsOf(string[] folders, string name) =>
        folders.Select(folder => Path.Join(folder, name)).Where(File.Exists);

    private static string PathOf(MachineFiles files, string folder)
    {
        var (reader, relative) = files.Resolve(folder);
        return reader.PathOf(relative);
    }

    private static IEnumerable<string[]> Lines(string path)
    {
        try
        {
            _ = KernelFile.Open(path, out var handle);
            using (handle)
            {
                var text = handle is null ? "" : KernelFile.TextOf(KernelFile.Read(handle, KernelFile.DefaultLimit));
                return text.Split('\n').Select(static line => line.Split(' '));
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            // The cgroup is gone, or the kernel has PSI off (EOPNOTSUPP).
            return [];
        }
    }

    private static long? Number(ReadOnlySpan<char> text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
}

/// <summary>How often and how long memory was short, since the kernel counts.</summary>
/// <param name="Limits">How often memory.high was exceeded, or memory.max was met.</param>
/// <param name="StalledMicroseconds">For how long at least one task waited for memory.</param>
internal readonly record struct MemoryPressure(long Limits, long StalledMicroseconds);
