namespace NumaSharp.Core.Topology;

/// <summary>
/// Finds the CPUs of isolated cpuset partitions (cgroup-v2.rst, "cpuset.cpus.partition"); version 1 has no such thing.
/// </summary>
internal sealed class PartitionReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Isolated = "isolated";
    private const string Root = "root";

    private readonly List<string> _files = [];

    /// <summary>The files read for the partition of this process: paths of the machine, existing or not.</summary>
    public IReadOnlyList<string> Files => _files;

    /// <summary>
    /// The root cgroup's list for the machine and, for a container that does not see it, the partition of this process.
    /// </summary>
    /// <param name="mount">The version 2 hierarchy.</param>
    /// <param name="path">The cgroup of this process in it.</param>
    public CpuSet Read(CgroupMount mount, string path) =>
        ReadList($"{mount.Point}/cpuset.cpus.isolated").Union(ReadOwn(mount, path));

    // A member has the CPUs of the partition above it. A partition that is not valid counts as a member.
    private CpuSet ReadOwn(CgroupMount mount, string path)
    {
        foreach (var folder in mount.FoldersOf(path))
        {
            var file = $"{folder}/cpuset.cpus.partition";
            _files.Add(file);
            var (reader, relative) = files.Resolve(file);
            var partition = reader.Read(relative).Text;
            if (partition == Isolated)
            {
                return ReadList($"{folder}/cpuset.cpus.effective");
            }

            // The root of a container's mount has such a file, the system's root cgroup does not.
            if (partition == Root)
            {
                break;
            }
        }

        return CpuSet.Empty;
    }

    private CpuSet ReadList(string path)
    {
        var (reader, relative) = files.Resolve(path);
        var reading = reader.Read(relative);
        if (reading.Succeeded && KernelText.TryParseList(reading.Text, out var cpus))
        {
            return cpus;
        }

        warnings.AddUnlessMissing(reading, "it isolates no CPU");
        return CpuSet.Empty;
    }
}
