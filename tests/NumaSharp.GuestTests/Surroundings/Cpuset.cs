using System.Globalization;

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
        SetMemoryNodes(memoryNodes);
    }

    public string Folder { get; }

    /// <summary>Moves this process back out of its cgroup.</summary>
    public static void Leave() => Move(Root);

    /// <summary>Moves this process into the cgroup.</summary>
    public void Enter() => Move(Folder);

    public void SetMemoryNodes(string nodes) => File.WriteAllText($"{Folder}/cpuset.mems", nodes);

    // The kernel's own files in it go with it; deleting them one by one is not permitted.
    public void Dispose() => Directory.Delete(Folder);

    private static void Move(string folder) =>
        File.WriteAllText($"{folder}/cgroup.procs", Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
}
