using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>What h2load prints at its end, and the log it writes.</summary>
internal sealed partial record H2LoadOutput(long Requests)
{
    /// <summary>Reads the summary and refuses anything but a clean run of every client.</summary>
    public static H2LoadOutput Parse(IReadOnlyList<string> output)
    {
        var requests = Match(output, Requested());
        var statuses = Match(output, Statuses());
        var rates = Match(output, ClientRates());
        var done = Number(requests, "done");
        foreach (var kind in new[] { "failed", "errored", "timeout" })
        {
            if (Number(requests, kind) is not 0 and var count)
            {
                throw new BenchmarkException($"h2load met errors: {count} {kind} in {done} requests ({statuses.Value})");
            }
        }

        if (done == 0)
        {
            throw new BenchmarkException("h2load completed no request");
        }

        // The end of the run may come between the status of a request and the rest of it: more statuses than requests.
        if (Number(statuses, "ok") < done || statuses.Groups["other"].Captures.Any(count => count.Value != "0"))
        {
            throw new BenchmarkException($"h2load completed {done} requests, but {statuses.Value}");
        }

        // A client that never connected is no error to h2load; it only has a rate of 0.
        return double.Parse(rates.Groups["min"].ValueSpan, CultureInfo.InvariantCulture) > 0
            ? new H2LoadOutput(done)
            : throw new BenchmarkException("h2load: a client completed no request");
    }

    /// <summary>From the log: start time, status and duration of each request, in microseconds, with tabs between.</summary>
    public static Latency ReadLatency(IEnumerable<string> log)
    {
        var durations = new List<int>();
        foreach (var line in log)
        {
            durations.Add(int.TryParse(line.AsSpan(line.LastIndexOf('\t') + 1), CultureInfo.InvariantCulture, out var duration)
                ? duration
                : throw new BenchmarkException($"h2load logged what is no request: '{line}'"));
        }

        if (durations.Count == 0)
        {
            throw new BenchmarkException("h2load logged no request");
        }

        var all = CollectionsMarshal.AsSpan(durations);
        return Latency.FromMicroseconds(
            Statistics.Percentile(all, 50), Statistics.Percentile(all, 99), Statistics.Percentile(all, 99.9));
    }

    private static Match Match(IReadOnlyList<string> output, Regex pattern) =>
        output.Select(line => pattern.Match(line)).FirstOrDefault(match => match.Success)
        ?? throw new BenchmarkException($"h2load printed no line like '{pattern}': {string.Join('\n', output)}");

    private static long Number(Match match, string group) =>
        long.Parse(match.Groups[group].ValueSpan, CultureInfo.InvariantCulture);

    [GeneratedRegex(
        @"^requests: \d+ total, \d+ started, (?<done>\d+) done, \d+ succeeded, (?<failed>\d+) failed, "
            + @"(?<errored>\d+) errored, (?<timeout>\d+) timeout",
        RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant,
        1000)]
    private static partial Regex Requested();

    [GeneratedRegex(
        @"^status codes: (?<ok>\d+) 2xx(, (?<other>\d+) [345]xx){3}",
        RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant,
        1000)]
    private static partial Regex Statuses();

    [GeneratedRegex(@"^req/s\s+:\s+(?<min>[\d.]+)", RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant, 1000)]
    private static partial Regex ClientRates();
}
