using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>The report of a load at its end.</summary>
internal static class UdpReport
{
    // More than that is not noise: a side that drops so many has had another load than the others.
    private const double TolerableLoss = 0.02;

    public static LoadReport Of(long datagrams, TimeSpan measured, List<int> latencies, long lost)
    {
        var sorted = CollectionsMarshal.AsSpan(latencies);
        var isMeasured = latencies.Count > 0;
        return new LoadReport
        {
            Requests = datagrams,
            MeasuredRequests = isMeasured ? latencies.Count : datagrams,
            MeasuredMicroseconds = measured.TotalMicroseconds,
            Bytes = 0,
            P50Microseconds = isMeasured ? Statistics.Percentile(sorted, 50) : 0,
            P99Microseconds = isMeasured ? Statistics.Percentile(sorted, 99) : 0,
            P999Microseconds = isMeasured ? Statistics.Percentile(sorted, 99.9) : 0,
            Errors = new Dictionary<string, long>
            {
                ["lost"] = lost > datagrams * TolerableLoss ? lost : 0,
            },
        };
    }

    /// <summary>The percentiles, or <see langword="null"/> where the load takes none.</summary>
    public static Latency? LatencyOf(string source, IReadOnlyList<string> output)
    {
        var report = LoadReport.Parse(source, output);
        report.ThrowIfFailed(source);
        return report.P50Microseconds > 0
            ? Latency.FromMicroseconds(report.P50Microseconds, report.P99Microseconds, report.P999Microseconds)
            : null;
    }
}
