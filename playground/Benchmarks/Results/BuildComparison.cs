using System.Globalization;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>
/// Has two builds measure the same kinds in turns, and compares their ratios to the peers: each build meets its peers in one
/// process, and what the machine does in that minute is in both. Where this build can measure the other one's servers in the same
/// rounds as its own, it does, and the ratio is the change.
/// </summary>
/// <param name="kinds">In this order.</param>
/// <param name="rounds">How often, an even number; every other one begins with this build.</param>
/// <param name="measure">
/// Has the earlier build, this one, or this one for both, write the result of a kind to a file; gives the reason if there is
/// none.
/// </param>
/// <param name="rest">Lets the machine come to rest between two of them.</param>
/// <param name="output">Gets what is done, and the tables.</param>
internal sealed class BuildComparison(
    IReadOnlyList<string> kinds,
    int rounds,
    Func<MeasuredBuild, string, FileInfo, CancellationToken, Task<string?>> measure,
    Func<CancellationToken, Task> rest,
    TextWriter output)
{
    private readonly Dictionary<string, string> _reasons = new(StringComparer.Ordinal);

    public async Task<int> RunAsync(string path, CancellationToken cancellation)
    {
        Directory.CreateDirectory(path);
        for (var round = 0; round < rounds; round++)
        {
            foreach (var kind in kinds)
            {
                foreach (var build in OrderOf(round, kind))
                {
                    if (!_reasons.ContainsKey(kind))
                    {
                        await MeasureAsync(path, round, kind, build, cancellation);
                    }
                }
            }
        }

        foreach (var kind in kinds.Where(kind => !_reasons.ContainsKey(kind)))
        {
            try
            {
                await ShowAsync(path, kind);
            }
            catch (BenchmarkException e)
            {
                _reasons.Add(kind, e.Message);
            }
        }

        foreach (var (kind, reason) in _reasons)
        {
            await output.WriteLineAsync($"{kind}: not compared: {reason}");
        }

        return _reasons.Count == 0 ? ExitCodes.Completed : ExitCodes.Failed;
    }

    private static MeasuredBuild[] OrderOf(int round, string kind) =>
        BenchmarkKinds.TakesEarlier(kind) ? [MeasuredBuild.Both]
        : round % 2 == 0 ? [MeasuredBuild.Earlier, MeasuredBuild.This]
        : [MeasuredBuild.This, MeasuredBuild.Earlier];

    private async Task MeasureAsync(string path, int round, string kind, MeasuredBuild build, CancellationToken cancellation)
    {
        await rest(cancellation);
        cancellation.ThrowIfCancellationRequested();
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"== {kind}, {NameOf(build)}, round {round + 1} of {rounds}"));
        if (await measure(build, kind, FileOf(path, round, kind, build), cancellation) is { } reason)
        {
            _reasons.Add(kind, $"{NameOf(build)}: {reason}");
        }
    }

    private async Task ShowAsync(string path, string kind)
    {
        var isTogether = BenchmarkKinds.TakesEarlier(kind);
        var now = RowsOf(path, kind, isTogether ? MeasuredBuild.Both : MeasuredBuild.This);
        var earlier = isTogether ? now : RowsOf(path, kind, MeasuredBuild.Earlier);
        var compared = isTogether ? ComparedRow.OfChanges(now) : ComparedRow.Of(earlier, now);
        await output.WriteLineAsync($"== {kind}");
        await output.WriteLineAsync(ComparedRow.Heading);
        foreach (var row in compared)
        {
            await output.WriteLineAsync(row.ToString());
        }

        foreach (var (name, others) in new[] { ("earlier", earlier.Except(now)), ("this", now.Except(earlier)) })
        {
            if (others.Any())
            {
                await output.WriteLineAsync($"only in {name} build: {string.Join("; ", others.Order(StringComparer.Ordinal))}");
            }
        }

        var (slower, faster) = (compared.Count(static row => row.IsSlower), compared.Count(static row => row.IsFaster));
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"{kind}: {compared.Count} rows, slower: {slower}, faster: {faster}"));
    }

    private BuildRows RowsOf(string path, string kind, MeasuredBuild build) => new(
        [.. Enumerable.Range(0, rounds).Select(round =>
            BenchmarkJson.ReadRows(FileOf(path, round, kind, build).FullName))]);

    private static FileInfo FileOf(string path, int round, string kind, MeasuredBuild build) => new(Path.Combine(
        path, string.Create(CultureInfo.InvariantCulture, $"{kind}-{round + 1}-{build}.json").ToLowerInvariant()));

    private static string NameOf(MeasuredBuild build) => build switch
    {
        MeasuredBuild.Earlier => "earlier build",
        MeasuredBuild.This => "this build",
        _ => "both builds",
    };
}

/// <summary>What a run of <see cref="BuildComparison"/> measures.</summary>
internal enum MeasuredBuild
{
    Earlier,
    This,
    Both,
}
