using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>Resident memory of 10 million live objects of mixed sizes, and what is left of it: one process per side.</summary>
internal static class ResidentMemory
{
    private const int Objects = 10_000_000;

    // 2 GB of objects, their addresses, and what a peer may need more.
    private const long BytesNeeded = 4L << 30;
    private const string MemoryInfo = "/proc/meminfo";
    private const string Key = "MemAvailable:";
    private const double Megabyte = 1 << 20;

    public static Look<(ResidentReport Ours, ResidentReport Theirs)> Create()
    {
        var available = AvailableBytes(File.ReadLines(MemoryInfo));
        return new(
            [
                Row("resident 10M vs mimalloc", static report => report.Live, MemoryTargets.Resident),
                Row("resident after burst", static report => report.Freed),
                Row("resident after trim", static report => report.Trimmed),
            ],
            static async (_, cancellation) =>
                (await RunAsync(ResidentSide.Ours, cancellation), await RunAsync(ResidentSide.Mimalloc, cancellation)))
        {
            Libraries = ResidentSide.All.Select(static side => side.Library).OfType<PeerLibrary>(),
            Unavailable = available < BytesNeeded
                ? string.Create(
                    CultureInfo.InvariantCulture, $"{BytesNeeded >> 20} MB of memory are needed, {available >> 20} are free")
                : null,
        };
    }

    /// <summary>What /proc/meminfo says could be taken without swapping, in bytes.</summary>
    public static long AvailableBytes(IEnumerable<string> memoryInfo)
    {
        var line = memoryInfo.FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{MemoryInfo} has no {Key}");
        return long.Parse(line.AsSpan(Key.Length).Trim().TrimEnd("kB "), CultureInfo.InvariantCulture) * 1024;
    }

    private static LookRow<(ResidentReport Ours, ResidentReport Theirs)> Row(
        string name, Func<ResidentReport, long> of, RowTarget target = default) => new(
        name,
        target,
        found => BenchmarkRow.Cost(
            name, ResidentSide.Mimalloc.Name(), Megabytes(of(found.Ours)), Megabytes(of(found.Theirs)), "MB", target));

    // The runtime itself varies by about as much: less is no divisor.
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
}
