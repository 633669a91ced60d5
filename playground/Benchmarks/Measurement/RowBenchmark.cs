using System.Globalization;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>A kind of benchmark that is a table of rows, measured in this process and its children.</summary>
internal static class RowBenchmark
{
    public static async Task RunAsync(
        string kind,
        Func<WorkerTeams, IReadOnlyList<IRowSource>> table,
        Func<ContestLengths, BenchmarkCpus, string> method,
        BenchmarkOptions options,
        TextWriter output,
        CancellationToken cancellation)
    {
        BenchmarkReport.RefuseDebugBuild();
        AllocatorEnvironment.Require();
        var cpus = BenchmarkCpus.OfThisMachine();
        using var teams = new WorkerTeams(cpus);
        var sources = Choose(table(teams), options);
        PeerLibrary[] libraries = [.. sources.SelectMany(static source => source.Libraries)];
        StaticTls.Ensure(libraries);
        PeerLibrary.Require(libraries);
        var lengths = options.Quick ? ContestLengths.Quick : ContestLengths.Full;
        using var report = BenchmarkReport.Start(
            options, output, Method(kind, sources, method(lengths, cpus)), [cpus.Note, .. sources.Select(LeftOut)]);
        foreach (var source in sources.Where(static source => source.Unavailable is null))
        {
            await source.MeasureAsync(lengths, report.Add, cancellation);
        }

        report.Complete();
    }

    /// <summary>What the options leave of a table.</summary>
    internal static IReadOnlyList<IRowSource> Choose(IReadOnlyList<IRowSource> table, BenchmarkOptions options)
    {
        IRowSource[] chosen =
        [
            .. table
                .Select(source => source.Where(options.Includes))
                .Select(source => options.NoiseFloor ? source?.AgainstItself() : source)
                .OfType<IRowSource>(),
        ];
        return chosen.Length > 0 ? chosen : throw options.NoRow();
    }

    private static string? LeftOut(IRowSource source) => source.Unavailable is { } reason
        ? $"left out: {string.Join(", ", source.Rows.Select(static row => row.Name))}: {reason}"
        : null;

    /// <summary>How the contests of teams are measured.</summary>
    public static string TeamMethod(ContestLengths lengths, BenchmarkCpus cpus) =>
        $"{lengths}; one thread on CPU {Name(cpus.Server)} in its CPU time, two on CPUs {Name(cpus.Server)} and "
        + $"{Name(cpus.Load)} in time";

    private static string Method(string kind, IReadOnlyList<IRowSource> sources, string how) => string.Create(
        CultureInfo.InvariantCulture, $"{kind}: {sources.Sum(static source => source.Rows.Count)} rows, {how}");

    private static string Name(int? cpu) => cpu?.ToString(CultureInfo.InvariantCulture) ?? "any";
}
