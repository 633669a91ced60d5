using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

/// <summary>Results that nothing has measured.</summary>
internal static class MadeUp
{
    public static MachineDescription Machine { get; } =
        new("Model X", 64, "Linux 6.1", ".NET 10", "2026-01-02T03:04:05Z", "how", []) { Nodes = 2, IsVirtual = false };

    public static MeasuredRow Row(
        string name, double ratio, double? required = null, double? spread = null, string unit = "us/request") =>
        new(BenchmarkRow.Written(name, "peer", ratio * 10, 10, unit, ratio, new RowTarget(required, null)), spread);

    public static KindResult Kind(string kind, params MeasuredRow[] rows) => new(kind, new BenchmarkResult(Machine, rows));

    /// <summary>On a machine of which there is nothing to say.</summary>
    public static ResultSet Of(params KindResult[] kinds) => new(kinds, []);

    /// <summary>Writes the result of a kind, as a benchmark does.</summary>
    public static void Write(string file, params MeasuredRow[] rows)
    {
        using var stream = File.Create(file);
        BenchmarkJson.Write(stream, new BenchmarkResult(Machine, rows));
    }

    /// <summary>A folder of results with one row of <c>pool</c>.</summary>
    public static void WriteFolder(string folder)
    {
        Directory.CreateDirectory(folder);
        Write(Path.Combine(folder, ResultSet.FileOf(BenchmarkKinds.Pool)), Row("old", 1));
        File.WriteAllText(Path.Combine(folder, ResultPages.Page), "old");
    }
}
