using System.Globalization;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>A cgroup with a limit of memory, of either version, that goes after its processes.</summary>
internal sealed class MemoryCgroup : IDisposable
{
    private readonly string _folder;

    private MemoryCgroup(string folder) => _folder = folder;

    /// <summary>Where a process is entered.</summary>
    public string Processes => $"{_folder}/cgroup.procs";

    /// <summary>Makes one, or returns why not.</summary>
    public static MemoryCgroup? TryCreate(long bytes, out string reason)
    {
        reason = "";
        foreach (var (root, limit) in new[]
        {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("/sys/fs/cgroup", "memory.max"),
            ("/sys/fs/cgroup/unified", "memory.max"),
        })
        {
            // With both versions the root is no cgroup.
            if (!File.Exists($"{root}/cgroup.procs"))
            {
                reason += $"{root} is no cgroup. ";
                continue;
            }

            var group = new MemoryCgroup($"{root}/numasharp-test-{Guid.NewGuid():N}");
            try
            {
                Directory.CreateDirectory(group._folder);
                File.WriteAllText($"{group._folder}/{limit}", bytes.ToString(CultureInfo.InvariantCulture));
                return group;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                group.Dispose();
                reason += $"{exception.Message} ";
            }
        }

        reason = $"No cgroup with a memory limit can be made here: {reason}";
        return null;
    }

    public void Dispose() => CgroupFolder.Remove(_folder);
}
