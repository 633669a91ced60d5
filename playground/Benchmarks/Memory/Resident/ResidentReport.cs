using System.Globalization;
using System.Text.RegularExpressions;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>Resident memory of a process, in bytes, beyond that before it began to allocate.</summary>
/// <param name="Live">With all objects alive.</param>
/// <param name="Freed">With all of them freed.</param>
/// <param name="Trimmed">After the allocator was asked to give memory back.</param>
internal sealed partial record ResidentReport(long Live, long Freed, long Trimmed)
{
    public static ResidentReport Parse(IEnumerable<string> output)
    {
        var text = string.Join('\n', output);
        var match = Line().Match(text);
        return match.Success
            ? new ResidentReport(Bytes("live"), Bytes("freed"), Bytes("trimmed"))
            : throw new BenchmarkException($"the process that measures resident memory said: {text}");

        long Bytes(string group) => long.Parse(match.Groups[group].ValueSpan, NumberStyles.AllowLeadingSign, null);
    }

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"live={Live} freed={Freed} trimmed={Trimmed}");

    [GeneratedRegex(
        "^live=(?<live>-?\\d+) freed=(?<freed>-?\\d+) trimmed=(?<trimmed>-?\\d+)$",
        RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant | RegexOptions.Multiline,
        1000)]
    private static partial Regex Line();
}
