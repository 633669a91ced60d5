using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>One line per row, as it completes; green and red on a terminal, words everywhere.</summary>
internal sealed class RowTable(TextWriter output, bool colour)
{
    private const string Red = "\e[31m";
    private const string Green = "\e[32m";
    private const string Reset = "\e[0m";
    private bool _started;

    public void Add(BenchmarkRow row, double? spread)
    {
        if (!_started)
        {
            _started = true;
            output.WriteLine(
                $"{"row",-30} {"ours",12} {"theirs",12} {"unit",-12} {"ratio",7} {"+-",6} {"required",8} {"goal",6}");
        }

        output.WriteLine(Format(row, spread, colour));
    }

    public static string Format(BenchmarkRow row, double? spread, bool colour)
    {
        var (verdict, code) = row.Met switch
        {
            null => (string.Empty, string.Empty),
            true => ("ok", Green),
            false => ("MISSED", Red),
        };
        var goal = row.Target.Goal is { } aim && row.Ratio <= aim ? "goal" : string.Empty;
        var line = string.Create(
            CultureInfo.InvariantCulture,
            $"{row.Name,-30} {row.Ours,12:N2} {row.Theirs,12:N2} {row.Unit,-12} {row.Ratio,7:N3} {spread,6:P0} "
            + $"{row.Target.Required,8:N3} {row.Target.Goal,6:N3} {verdict} {goal}").TrimEnd();
        return colour && code.Length > 0 ? code + line + Reset : line;
    }
}
