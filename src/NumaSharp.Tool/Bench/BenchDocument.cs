using System.Globalization;
using System.Text.Json.Serialization;
using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Bench;

/// <summary>The output of <c>bench --format json</c> (docs/guide/bench.md), and what the table shows.</summary>
internal sealed record BenchDocument(
    BenchMachine Machine, string Method, IReadOnlyList<string> Notes, IReadOnlyList<BenchRowDocument> Rows)
{
    public static BenchDocument Of(BenchMachine machine, BenchContext context, IEnumerable<BenchResult> results) => new(
        machine,
        string.Create(
            CultureInfo.InvariantCulture,
            $"CPU time, user and kernel (ns/read: time); the round with the median ratio of {context.Lengths.Rounds} in "
            + $"alternating order. A thread or server on CPU {context.Cpus.Measured}, its clients on CPU "
            + $"{context.Cpus.Clients}; schedulers on all."),
        [
            .. new[]
            {
                machine.FindUnrest(), machine.FindShortage(), machine.FindSettings(), context.Cpus.Note, BuildNote,
            }.OfType<string>(),
        ],
        [.. results.Select(BenchRowDocument.Of)]);

#if DEBUG
    private static string? BuildNote => "This is a Debug build: its figures mean nothing.";
#else
    private static string? BuildNote => null;
#endif
}

/// <summary>A row of <see cref="BenchDocument"/>.</summary>
internal sealed record BenchRowDocument(
    string Name, string Peer, double? Ours, double? Theirs, string Unit, double? Ratio, double? Spread, string? Reason)
{
    private const int Digits = 4;

    public static BenchRowDocument Of(BenchResult result) => new(
        result.Row.Name,
        result.Row.Peer,
        Rounded(result.Round?.Ours),
        Rounded(result.Round?.Theirs),
        result.Row.Unit,
        Rounded(result.Round?.Ratio),
        result.Round is null ? null : Rounded(result.Spread),
        result.Reason);

    private static double? Rounded(double? value) => value is { } number ? Math.Round(number, Digits) : null;
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(BenchDocument))]
internal sealed partial class BenchJson : JsonSerializerContext;

/// <summary>The result on the terminal: machine, table, what is missing, method.</summary>
internal static class BenchText
{
    public static void Write(IAnsiConsole screen, BenchDocument document)
    {
        screen.WriteLine(ToolText.OneLine(document.Machine.ToString()));
        foreach (var note in document.Notes)
        {
            screen.WriteLine(ToolText.OneLine(note));
        }

        var table = new ToolTable("Row", "Ours", "Theirs", "Unit", "Ratio", "+-", "Theirs is");
        foreach (var row in document.Rows.Where(static row => row.Reason is null))
        {
            table.AddRow(
                row.Name, Number(row.Ours, "0.00"), Number(row.Theirs, "0.00"), row.Unit, Number(row.Ratio, "0.00"),
                $"{Number(row.Spread * 100, "0")} %", row.Peer);
        }

        table.Write(screen);
        foreach (var row in document.Rows.Where(static row => row.Reason is not null))
        {
            screen.WriteLine($"Not measured: {row.Name}: {ToolText.OneLine(row.Reason!)}");
        }

        screen.WriteLine("Ratio is ours / theirs: less is better. " + document.Method);
    }

    private static string Number(double? value, string format) =>
        value is { } number ? number.ToString(format, CultureInfo.InvariantCulture) : "";
}
