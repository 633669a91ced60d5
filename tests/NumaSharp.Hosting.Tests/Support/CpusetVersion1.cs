using System.Globalization;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>A cpuset of cgroup version 1 that a test makes for a process, and that goes after the process.</summary>
internal sealed class CpusetVersion1 : IDisposable
{
    private const string Root = "/sys/fs/cgroup/cpuset";

    private readonly string _folder = $"{Root}/numasharp-test-{Guid.NewGuid():N}";

    private CpusetVersion1()
    {
    }

    /// <summary>Makes one with the CPUs and memory of the root, or returns why not.</summary>
    public static CpusetVersion1? TryCreate(out string reason)
    {
        reason = "";
        if (!File.Exists($"{Root}/cpuset.cpus"))
        {
            reason = $"There is no cpuset hierarchy of cgroup version 1 at {Root}.";
            return null;
        }

        var cpuset = new CpusetVersion1();
        try
        {
            Directory.CreateDirectory(cpuset._folder);
            cpuset.Write("cpuset.cpus", File.ReadAllText($"{Root}/cpuset.cpus"));
            cpuset.Write("cpuset.mems", File.ReadAllText($"{Root}/cpuset.mems"));
            return cpuset;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            cpuset.Dispose();
            reason = $"A cpuset cannot be made here: {exception.Message}";
            return null;
        }
    }

    public void SetCpus(string cpus) => Write("cpuset.cpus", cpus);

    public void Add(int processId) => Write("cgroup.procs", processId.ToString(CultureInfo.InvariantCulture));

    public void Dispose() => CgroupFolder.Remove(_folder);

    private void Write(string file, string value) => File.WriteAllText($"{_folder}/{file}", value);
}
