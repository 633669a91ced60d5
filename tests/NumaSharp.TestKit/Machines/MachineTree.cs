using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>A small machine as kernel files in a temporary folder.</summary>
public sealed partial class MachineTree : IDisposable
{
    public const string CpuOnline = "sys/devices/system/cpu/online";
    public const string NodeOnline = "sys/devices/system/node/online";
    public const string Status = "proc/self/status";

    private readonly TemporaryFolder _folder = TemporaryFolder.InMemory();
    private readonly List<string> _files = [];

    /// <summary>The files that were written, relative to the root.</summary>
    public IReadOnlyList<string> Files => _files;

    public LinuxTopologyOptions Options => new() { SysfsRoot = PathOf("sys"), ProcRoot = PathOf("proc") };

    /// <summary>Nodes 0 and 1 with CPUs 0-3 and 4-7 and 1 GiB each.</summary>
    public static MachineTree TwoNodes() => new MachineTree()
        .Write(CpuOnline, "0-7\n")
        .Write(NodeOnline, "0-1\n")
        .Node(0, "0f", "0-3", 1048576, "10 21")
        .Node(1, "f0", "4-7", 1048576, "21 10")
        .Write("proc/meminfo", "MemTotal:        2097152 kB\nMemFree:         1048576 kB\n");

    /// <summary>Two nodes with two CPUs each and a third of memory only, nearer to node 1.</summary>
    public static MachineTree CpulessNode() => new MachineTree()
        .Write(CpuOnline, "0-3\n")
        .Write(NodeOnline, "0-2\n")
        .Node(0, "3", "0-1", 1048576, "10 21 31")
        .Node(1, "c", "2-3", 1048576, "21 10 17")
        .Node(2, "0", "", 4194304, "31 17 10");

    /// <summary>No node directory at all.</summary>
    public static MachineTree WithoutNuma() => new MachineTree()
        .Write(CpuOnline, "0-1\n")
        .Write("proc/meminfo", "MemTotal:         524288 kB\nMemFree:          262144 kB\n");

    /// <summary>Eight CPUs of which cpulist still names those that are offline, as old kernels do.</summary>
    public static MachineTree OfflineCpus() => new MachineTree()
        .Write(CpuOnline, "0-1,4-5\n")
        .Write(NodeOnline, "0-1\n")
        .Node(0, "00000003", "0-3", 1048576, "10 20")
        .Node(1, "00000030", "4-7", 1048576, "20 10");

    /// <summary>Nodes 1, 4 and 33.</summary>
    public static MachineTree SparseIds() => new MachineTree()
        .Write(CpuOnline, "0-5\n")
        .Write(NodeOnline, "1,4,33\n")
        .Node(1, "03", "0-1", 1048576, "10 16 22")
        .Node(4, "0c", "2-3", 1048576, "16 10 16")
        .Node(33, "30", "4-5", 1048576, "22 16 10");

    /// <summary>Firmware that gives every node all CPUs.</summary>
    public static MachineTree AllCpusEverywhere() => new MachineTree()
        .Write(CpuOnline, "0-3\n")
        .Write(NodeOnline, "0-1\n")
        .Node(0, "f", "0-3", 1048576, "10 20")
        .Node(1, "f", "0-3", 2097152, "20 10");

    /// <summary>Two nodes, of which a version 1 cpuset allows node 1 and two of its CPUs.</summary>
    public static MachineTree CgroupVersion1() => TwoNodes()
        .Write("proc/mounts", "proc /proc proc rw 0 0\ncgroup /sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset 0 0\n")
        .Write("proc/self/cgroup", "4:memory:/other\n3:cpuset:/job\n0::/session\n")
        .Write("sys/fs/cgroup/cpuset/cpuset.cpus", "0-7\n")
        .Write("sys/fs/cgroup/cpuset/cpuset.mems", "0-1\n")
        .Write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "4-5\n")
        .Write("sys/fs/cgroup/cpuset/job/cpuset.mems", "1\n");

    /// <summary>Two nodes, of which a version 2 cpuset allows node 0 and three of its CPUs.</summary>
    public static MachineTree CgroupVersion2() => TwoNodes()
        .Write("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nsdelegate 0 0\n")
        .Write("proc/self/cgroup", "0::/user.slice/app.service\n")
        .Write("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n")
        .Write("sys/fs/cgroup/cpuset.mems.effective", "0-1\n")
        .Write("sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-2\n")
        .Write("sys/fs/cgroup/user.slice/cpuset.mems.effective", "0\n");

    public string PathOf(string file) => Path.Join(_folder.Path, file);

    public MachineTree Write(string file, string text)
    {
        var path = PathOf(file);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text, System.Text.Encoding.Latin1);
        _files.Add(file);
        return this;
    }

    public MachineTree Delete(string path)
    {
        if (Directory.Exists(PathOf(path)))
        {
            Directory.Delete(PathOf(path), recursive: true);
        }
        else
        {
            File.Delete(PathOf(path));
        }

        return this;
    }

    public MachineTree Link(string path, string target)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(path))!);
        File.Delete(PathOf(path));
        File.CreateSymbolicLink(PathOf(path), target);
        return this;
    }

    public MachineTree Node(int id, string cpumap, string cpulist, long kilobytes, string distance)
    {
        var folder = string.Create(CultureInfo.InvariantCulture, $"sys/devices/system/node/node{id}");
        return Write($"{folder}/cpumap", $"{cpumap}\n")
            .Write($"{folder}/cpulist", $"{cpulist}\n")
            .Write($"{folder}/distance", $"{distance}\n")
            .Write($"{folder}/meminfo", string.Create(
                CultureInfo.InvariantCulture, $"\nNode {id} MemTotal: {kilobytes} kB\nNode {id} MemFree: {kilobytes / 2} kB\n"));
    }

    public NumaTopology Read() => new LinuxTopologyProvider(Options).Read();

    public void Dispose() => _folder.Dispose();
}
