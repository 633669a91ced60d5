using System.Diagnostics;
using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>The output of a run: the machine and the method, each row as it completes, the sum, and the file of --json.</summary>
internal sealed class BenchmarkReport : IDisposable
{
    private readonly TextWriter _output;
    private readonly ResultFile? _json;
    private readonly MachineDescription _machine;
    private readonly RowTable _table;
    private readonly List<MeasuredRow> _rows = [];

    private BenchmarkReport(ResultFile? json, TextWriter output, MachineDescription machine)
    {
        (_json, _output, _machine) = (json, output, machine);
        _table = new RowTable(output, colour: !Console.IsOutputRedirected);
    }

    [Conditional("DEBUG")]
    public static void RefuseDebugBuild() =>
        throw new BenchmarkException(
            "a Debug build is not worth measuring: dotnet run -c Release --project playground/Benchmarks");

    public static BenchmarkReport Start(
        BenchmarkOptions options, TextWriter output, string method, IEnumerable<string?> notes)
    {
        var file = options.Json is { } json ? new ResultFile(json) : null;
        var unrest = MachineDescription.Unrest(File.ReadAllText("/proc/loadavg"));
        string[] said = [.. notes.Append(unrest).OfType<string>()];
        var machine = MachineDescription.OfThisMachine(TimeProvider.System, method, said) with { Command = options.Command };
        foreach (var line in said.Prepend(machine.Method).Prepend(machine.ToString()))
        {
            output.WriteLine(line);
        }

        return new BenchmarkReport(file, output, machine);
    }

    public void Add(MeasuredRow measured)
    {
        _rows.Add(measured);
        _table.Add(measured.Row, measured.Spread);
    }

    public void Add(BenchmarkRow row, double? spread) => Add(new MeasuredRow(row, spread));

    /// <summary>Nothing failed: the rows are the result.</summary>
    public void Complete()
    {
        _json?.Write(new BenchmarkResult(_machine, _rows));
        var required = RequirementCount.Of(_rows);
        _output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{_rows.Count} rows; required: {required.Rows - required.Missed} met, {required.Missed} missed"));
    }

    public void Dispose() => _json?.Dispose();
}
