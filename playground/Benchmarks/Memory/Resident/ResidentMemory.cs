using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>Resident memory of 10 million live objects of mixed sizes, and what is left of it: one process per side.</summary>
internal sealed class ResidentMemory : IRowSource
{
    private const int Objects = 10_000_000;

    // 2 GB of objects, their addresses, and what a peer may need more.
    private const long BytesNeeded = 4L << 30;
    private const string MemoryInfo = "/proc/meminfo";
    private const string Key = "MemAvailable:";
    private const double Megabyte = 1 << 20;

    private readonly ResidentRow[] _rows;

    public ResidentMemory()
        : this([
            new("resident 10M vs mimalloc", static report => report.Live, MemoryTargets.Resident),
            new("resident after burst", static report => report.Freed, default),
            new("resident after trim", static report => report.Trimmed, default),
        ])
    {
    }

    private ResidentMemory(ResidentRow[] rows) => _rows = rows;

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [.. _rows.Select(static row => (row.Name, row.Target))];

    public IEnumerable<PeerLibrary> Libraries =>
        new[] { ResidentSide.Ours, ResidentSide.Mimalloc }.Select(static side => side.Library).OfType<PeerLibrary>();

    public string? Unavailable => AvailableBytes(File.ReadLines(MemoryInfo)) is var available && available < BytesNeeded
        ? string.Create(CultureInfo.InvariantCulture, $"{BytesNeeded >> 20} MB of memory are needed, {available >> 20} are free")
        : null;

    /// <summary>What /proc/meminfo says could be taken without swapping, in bytes.</summary>
    public static long AvailableBytes(IEnumerable<string> memoryInfo)
    {
        var line = memoryInfo.FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{MemoryInfo} has no {Key}");
        return long.Parse(line.AsSpan(Key.Length).Trim().TrimEnd("kB "), CultureInfo.InvariantCulture) * 1024;
    }

    public IRowSource? Where(Func<string, bool> isWanted)
    {
        ResidentRow[] left = [.. _rows.Where(row => isWanted(row.Name))];
        return left.Length == 0 ? null : new ResidentMemory(left);
    }

    public async Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        var ours = await RunAsync(ResidentSide.Ours, cancellation);
        var theirs = await RunAsync(ResidentSide.Mimalloc, cancellation);
        foreach (var row in _rows)
        {
            var measured = BenchmarkRow.Cost(
                row.Name,
                ResidentSide.Mimalloc.Name(),
                Megabytes(row.Of(ours)),
                Megabytes(row.Of(theirs)),
                "MB",
                row.Target);
            report(new MeasuredRow(measured, null));
        }
    }

    // What the runtime takes and gives back meanwhile is about as much: less than that is nothing to divide by.
    private static double Megabytes(long bytes) => Math.Max(bytes / Megabyte, 1);

    private static async Task<ResidentReport> RunAsync(ResidentSide side, CancellationToken cancellation)
    {
        var info = new ProcessStartInfo(
            Executables.DotnetHost,
            [Assembly.GetExecutingAssembly().Location, .. ResidentCommand.Arguments(side.Label, Objects)]);
        using var process = ChildProcess.Start(info, cpu: null);
        await process.WaitForExitAsync(cancellation);
        return process.ExitCode == ExitCodes.Completed
            ? ResidentReport.Parse(process.Output)
            : throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture,
                $"resident memory of '{side.Label}' ended with exit code {process.ExitCode}:\n{process.LastWords}"));
    }

    private sealed record ResidentRow(string Name, Func<ResidentReport, long> Of, RowTarget Target);
}
