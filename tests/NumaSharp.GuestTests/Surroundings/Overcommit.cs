using System.Globalization;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>Strict accounting of memory (vm.overcommit_memory=2) for as long as it lives.</summary>
internal sealed class Overcommit : IDisposable
{
    private readonly KernelSetting _ratio;
    private readonly KernelSetting _mode;

    /// <param name="ratio">How much may be promised, in percent of the machine's memory.</param>
    public Overcommit(int ratio)
    {
        _ratio = new KernelSetting("vm/overcommit_ratio", ratio.ToString(CultureInfo.InvariantCulture));
        _mode = new KernelSetting("vm/overcommit_memory", "2");
    }

    /// <summary>What is promised now, of all processes.</summary>
    public static long PromisedBytes => Read("Committed_AS:");

    /// <summary>What may be promised yet.</summary>
    public static long LeftBytes => Read("CommitLimit:") - PromisedBytes;

    public void Dispose()
    {
        _mode.Dispose();
        _ratio.Dispose();
    }

    private static long Read(string name)
    {
        var line = File.ReadLines("/proc/meminfo").Single(line => line.StartsWith(name, StringComparison.Ordinal));
        return 1024 * long.Parse(line[name.Length..^" kB".Length], CultureInfo.InvariantCulture);
    }
}
