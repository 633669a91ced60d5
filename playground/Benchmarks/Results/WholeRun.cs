using System.Globalization;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>
/// Measures one kind after the other. A kind that cannot be measured is named with its reason, and the others are measured.
/// </summary>
/// <param name="kinds">In this order.</param>
/// <param name="measure">Writes the result of a kind to a file; gives the reason if there is none.</param>
/// <param name="rest">Lets the machine come to rest between two of them.</param>
/// <param name="output">Gets what is done.</param>
internal sealed class WholeRun(
    IReadOnlyList<string> kinds,
    Func<string, FileInfo, CancellationToken, Task<string?>> measure,
    Func<CancellationToken, Task> rest,
    TextWriter output)
{
    public async Task<int> RunAsync(string path, CancellationToken cancellation)
    {
        using var folder = ResultFolder.Begin(path);
        var reasons = await MeasureAsync(folder.Draft, cancellation);
        cancellation.ThrowIfCancellationRequested();
        if (reasons.Count == kinds.Count)
        {
            throw new BenchmarkException(
                $"nothing could be measured; {path} is as it was\n{string.Join('\n', reasons.Select(Line))}");
        }

        // From here on, a mistake in a picture must not cost what has been measured.
        folder.Keep();
        if (reasons.Count > 0)
        {
            ResultSet.WriteReasons(folder.Draft, reasons);
        }

        var results = ResultSet.Read(folder.Draft);
        ResultPages.Write(folder.Draft, results);
        folder.Replace();
        await SumUpAsync(path, results, reasons);
        return reasons.Count == 0 ? ExitCodes.Completed : ExitCodes.Failed;
    }

    private async Task<List<KindReason>> MeasureAsync(string draft, CancellationToken cancellation)
    {
        var reasons = new List<KindReason>();
        foreach (var (index, kind) in kinds.Index())
        {
            if (index > 0)
            {
                await rest(cancellation);
            }

            cancellation.ThrowIfCancellationRequested();
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture, $"== {kind}, {index + 1} of {kinds.Count}"));
            var file = new FileInfo(Path.Combine(draft, ResultSet.FileOf(kind)));
            if (await measure(kind, file, cancellation) is { } reason)
            {
                // It was emptied at the start.
                file.Delete();
                reasons.Add(new KindReason(kind, reason));
            }
        }

        return reasons;
    }

    private async Task SumUpAsync(string path, ResultSet results, List<KindReason> reasons)
    {
        await output.WriteLineAsync($"== {path}");
        foreach (var (kind, result) in results.Measured)
        {
            var (rows, missed) = (result.Rows.Count, RequirementCount.Of(result.Rows).Missed);
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture, $"{kind}: {rows} rows, missed requirements: {missed}"));
        }

        foreach (var reason in reasons)
        {
            await output.WriteLineAsync(Line(reason));
        }
    }

    private static string Line(KindReason reason) => $"{reason.Kind}: not measured: {reason.Reason}";
}
