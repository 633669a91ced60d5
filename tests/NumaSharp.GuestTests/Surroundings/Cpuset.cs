namespace NumaSharp.GuestTests.Surroundings;

/// <summary>A cgroup (version 2) with a cpuset, below the root that the guest's init mounts.</summary>
internal sealed class Cpuset : IDisposable
{
    private const string Root = "/sys/fs/cgroup";

    public Cpuset(string name, string cpus, string memoryNodes)
    {
        File.WriteAllText($"{Root}/cgroup.subtree_control", "+cpuset");
        Folder = Directory.CreateDirectory($"{Root}/{name}").FullName;
        File.WriteAllText($"{Folder}/cpuset.cpus", cpus);
        File.WriteAllText($"{Folder}/cpuset.mems", memoryNodes);
    }

    public string Folder { get; }

    // The kernel's own files in it go with it; deleting them one by one is not permitted.
    public void Dispose() => Directory.Delete(Folder);
}
