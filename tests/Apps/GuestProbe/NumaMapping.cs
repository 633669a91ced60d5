using System.Globalization;

namespace NumaSharp.GuestProbe;

/// <summary>
/// A mapping of this process as the kernel accounts for it (<c>/proc/self/numa_maps</c>, numa(7)): a witness of placement that
/// needs none of the system calls under test.
/// </summary>
/// <param name="Start">Its first address.</param>
/// <param name="Policy">Its memory policy: <c>default</c>, <c>prefer:1</c>, <c>prefer(many):1-2</c>, <c>bind:1</c>.</param>
/// <param name="PagesByNode">How many pages are on each node.</param>
internal sealed record NumaMapping(nuint Start, string Policy, IReadOnlyDictionary<int, long> PagesByNode)
{
    /// <summary>The mapping that an address of this process is in.</summary>
    public static NumaMapping Of(nint address) => Find(File.ReadLines("/proc/self/numa_maps"), (nuint)address);

    /// <summary>The mapping with the last start that is not above an address.</summary>
    public static NumaMapping Find(IEnumerable<string> lines, nuint address) =>
        lines.Select(Parse).Where(mapping => mapping.Start <= address).MaxBy(static mapping => mapping.Start)
        ?? throw new ArgumentException($"No mapping begins at or below {address:x}.", nameof(address));

    // 7f2c4d400000 prefer (many)=static:1-2 anon=32 dirty=32 N0=1 N1=31 kernelpagesize_kB=4
    private static NumaMapping Parse(string line)
    {
        var words = line.Replace(" (many)", "(many)", StringComparison.Ordinal)
            .Replace("=static:", ":", StringComparison.Ordinal)
            .Replace("weighted interleave", "weightedinterleave", StringComparison.Ordinal)
            .Split(' ', StringSplitOptions.RemoveEmptyEntries);
        var nodes = words[2..]
            .Where(static word => word[0] == 'N' && word.Contains('=', StringComparison.Ordinal))
            .Select(static word => word[1..].Split('='))
            .ToDictionary(
                static pair => int.Parse(pair[0], CultureInfo.InvariantCulture),
                static pair => long.Parse(pair[1], CultureInfo.InvariantCulture));
        return new NumaMapping(nuint.Parse(words[0], NumberStyles.HexNumber, CultureInfo.InvariantCulture), words[1], nodes);
    }
}
