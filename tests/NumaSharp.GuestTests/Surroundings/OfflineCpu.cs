namespace NumaSharp.GuestTests.Surroundings;

/// <summary>A CPU that is taken from the running machine, and comes back at the end (core-api/cpu_hotplug.rst).</summary>
internal sealed class OfflineCpu : IDisposable
{
    private readonly string _file;

    public OfflineCpu(int cpu)
    {
        _file = $"/sys/devices/system/cpu/cpu{cpu}/online";
        File.WriteAllText(_file, "0");
    }

    public void Dispose() => File.WriteAllText(_file, "1");
}
