using System.IO.Enumeration;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Snapshot;

/// <summary>Collects the content of a snapshot, in a fixed order, each path once.</summary>
internal sealed class SnapshotCapture(TreeReader files, int? processId)
{
    private const int MountTableLimit = 4 * 1024 * 1024;

    private readonly Dictionary<string, SnapshotFile> _found = new(StringComparer.Ordinal);
    private readonly SnapshotNames _names = new();

    /// <exception cref="ToolException">There is no such process.</exception>
    public IReadOnlyList<SnapshotFile> Run()
    {
        foreach (var pattern in SnapshotPaths.Patterns)
        {
            foreach (var path in Expand("", pattern.Split('/')))
            {
                Add(path, path);
            }
        }

        AddFiltered("proc/cmdline", "proc/cmdline", SnapshotFilters.CommandLine);
        AddProcess();
        AddNetworkDevices();
        return [.. _found.Values.OrderBy(static file => file.Path, StringComparer.Ordinal)];
    }

    private IEnumerable<string> Expand(string folder, ReadOnlyMemory<string> parts)
    {
        if (parts.IsEmpty)
        {
            return [folder];
        }

        var name = parts.Span[0];
        var rest = parts[1..];
        if (!name.Contains('*', StringComparison.Ordinal))
        {
            return Expand(Join(folder, name), rest);
        }

        return files.List(folder)
            .Where(candidate => FileSystemName.MatchesSimpleExpression(name, candidate, ignoreCase: false))
            .SelectMany(match => Expand(Join(folder, match), rest));
    }

    private void AddProcess()
    {
        var process = processId is { } id ? $"proc/{ToolText.Number(id)}" : "proc/self";
        if (processId is not null && !files.IsFolder(process))
        {
            throw new ToolException($"--pid '{processId}': there is no such process.");
        }

        AddFiltered($"{process}/status", "proc/self/status", SnapshotFilters.Status);
        AddFiltered($"{process}/cgroup", "proc/self/cgroup", SnapshotFilters.Cgroups);
        Add($"{process}/cpuset", "proc/self/cpuset");

        // Of this process, even for another one: the paths below are read through our own mounts.
        AddFiltered("proc/mounts", "proc/mounts", SnapshotFilters.Mounts);
        AddFiltered("proc/self/mounts", "proc/self/mounts", SnapshotFilters.Mounts);
        var mounts = files.ReadBytes("proc/mounts", MountTableLimit) is null ? "proc/self/mounts" : "proc/mounts";
        var cgroups = new CgroupFolders(files, mounts, $"{process}/cgroup", $"{process}/cpuset");
        AddBelow(cgroups.Find("cpuset"), SnapshotPaths.OfCpuset);
        AddBelow(cgroups.Find(CgroupFolders.Memory), CgroupFolders.MemoryLimits);
        AddBelow(cgroups.Find(CgroupFolders.Cpu), CpuQuota.Files);
    }

    // Links are not captured: files found above the device are stored under the device.
    private void AddNetworkDevices()
    {
        foreach (var device in Expand("", SnapshotPaths.NetworkDevices.Split('/')))
        {
            if (NetworkDeviceFiles.Find(files, device, "numa_node") is { } node)
            {
                Add(node, $"{device}/numa_node");
            }

            foreach (var path in SnapshotPaths.OfInterface
                .SelectMany(name => Expand(Path.GetDirectoryName(device)!, name.Split('/'))))
            {
                Add(path, path);
            }

            foreach (var irq in NetworkDeviceFiles.Interrupts(files, device))
            {
                var name = ToolText.Number(irq);
                Add($"proc/irq/{name}", $"{device}/{NetworkDeviceFiles.InterruptsFolder}/{name}");
                AddBelow([$"proc/irq/{name}"], SnapshotPaths.OfInterrupt);
                AddFiltered(NetworkDeviceFiles.InterruptName(name), NetworkDeviceFiles.InterruptName(name), _names.OfText);
            }
        }
    }

    private void AddBelow(IEnumerable<string> folders, IReadOnlyList<string> names)
    {
        foreach (var folder in folders)
        {
            foreach (var name in names)
            {
                Add($"{folder}/{name}", $"{folder}/{name}");
            }
        }
    }

    private void Add(string source, string target) => AddFiltered(source, _names.Of(target), static bytes => bytes);

    private void AddFiltered(string source, string target, Func<byte[], byte[]> filter)
    {
        if (files.ReadBytes(source, MountTableLimit) is { } content)
        {
            _found.TryAdd(target, new SnapshotFile(target, filter(content)));
        }
        else if (files.IsFolder(source) || files.IsLink(source))
        {
            // A link's name counts even if its target is missing, such as that of a CPU to an offline node.
            _found.TryAdd(target, new SnapshotFile(target, null));
        }
    }

    private static string Join(string folder, string name) => folder.Length == 0 ? name : $"{folder}/{name}";
}

/// <summary>An entry of a snapshot.</summary>
/// <param name="Path">Its path below the root, such as <c>sys/devices/system/cpu/online</c>.</param>
/// <param name="Content">Its content; <see langword="null"/> for a folder or a link to one, where only the name counts.</param>
internal sealed record SnapshotFile(string Path, byte[]? Content);
