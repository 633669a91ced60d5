using System.Globalization;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>A cgroup (version 2) with a cpuset, below the root that the guest's init mounts.</summary>
internal sealed class Cpuset : IDisposable
{
    private const string Root = "/sys/fs/cgroup";

    private bool _isEntered;

    public Cpuset(string name, string cpus, string memoryNodes)
    {
        File.WriteAllText($"{Root}/cgroup.subtree_control", "+cpuset");
        Folder = Directory.CreateDirectory($"{Root}/{name}").FullName;
        SetCpus(cpus);
        SetMemoryNodes(memoryNodes);
    }

    public string Folder { get; }

    public void SetCpus(string cpus) => File.WriteAllText($"{Folder}/cpuset.cpus", cpus);

    /// <summary>Says where memory may come from; the kernel has moved what is elsewhere when this returns.</summary>
    public void SetMemoryNodes(string nodes) => File.WriteAllText($"{Folder}/cpuset.mems", nodes);

    /// <summary>Puts this process into it, until the end.</summary>
    public void Enter()
    {
        Move(Folder);
        _isEntered = true;
    }

    public void Dispose()
    {
        if (_isEntered)
        {
            Move(Root);
        }

        // The kernel's own files in it go with it; deleting them one by one is not permitted.
        Directory.Delete(Folder);
    }

    // 0 is the writing process.
    private static void Move(string folder) => File.WriteAllText($"{folder}/cgroup.procs", "0");
}
