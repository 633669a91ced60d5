using System.Globalization;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>Strict accounting of memory (vm.overcommit_memory=2) for as long as it lives.</summary>
internal sealed class Overcommit : IDisposable
{
    private const string Mode = "/proc/sys/vm/overcommit_memory";
    private const string Ratio = "/proc/sys/vm/overcommit_ratio";

    private readonly string _mode = File.ReadAllText(Mode);
    private readonly string _ratio = File.ReadAllText(Ratio);

    /// <param name="ratio">How much may be promised, in percent of the machine's memory.</param>
    public Overcommit(int ratio)
    {
        // Of nobody's machine but the guest.
        Guest.Require(Guest.HasThreeNodes, "with three nodes");
        File.WriteAllText(Ratio, ratio.ToString(CultureInfo.InvariantCulture));
        File.WriteAllText(Mode, "2");
    }

    /// <summary>What is promised now, of all processes.</summary>
    public static long PromisedBytes => Read("Committed_AS:");

    /// <summary>What may be promised yet.</summary>
    public static long LeftBytes => Read("CommitLimit:") - PromisedBytes;

    public void Dispose()
    {
        File.WriteAllText(Mode, _mode);
        File.WriteAllText(Ratio, _ratio);
    }

    private static long Read(string name)
    {
        var line = File.ReadLines("/proc/meminfo").Single(line => line.StartsWith(name, StringComparison.Ordinal));
        return 1024 * long.Parse(line[name.Length..^" kB".Length], CultureInfo.InvariantCulture);
    }
}
