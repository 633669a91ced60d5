using System.Text.Json;
using System.Text.Json.Serialization;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>
/// The one line of JSON, after <see cref="Marker"/>, that our wrk script and our own clients print at their end.
/// </summary>
internal sealed record LoadReport
{
    public const string Marker = "LOAD-REPORT ";

    /// <summary>Completed in the whole run.</summary>
    public required long Requests { get; init; }

    /// <summary>Completed in the measured part, which may be the whole run.</summary>
    public required long MeasuredRequests { get; init; }

    public required double MeasuredMicroseconds { get; init; }

    /// <summary>Bytes received in the whole run, headers included.</summary>
    public required long Bytes { get; init; }

    public required double P50Microseconds { get; init; }

    public required double P99Microseconds { get; init; }

    public required double P999Microseconds { get; init; }

    /// <summary>Counts by kind; all of them must be 0.</summary>
    public required IReadOnlyDictionary<string, long> Errors { get; init; }

    public static LoadReport Parse(string source, IEnumerable<string> output)
    {
        var line = output.LastOrDefault(line => line.StartsWith(Marker, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{source} printed no line that starts with '{Marker}'");
        try
        {
            return JsonSerializer.Deserialize(line.AsSpan(Marker.Length), LoadReportJson.Default.LoadReport)
                ?? throw new BenchmarkException($"{source} reported null");
        }
        catch (JsonException failure)
        {
            throw new BenchmarkException($"{source} reported what cannot be read ({failure.Message}): {line}");
        }
    }

    public override string ToString() => Marker + JsonSerializer.Serialize(this, LoadReportJson.Default.LoadReport);

    /// <exception cref="BenchmarkException">The run met errors.</exception>
    public void ThrowIfFailed(string source)
    {
        if (Errors.Values.Any(count => count != 0))
        {
            var named = Errors.Where(error => error.Value != 0).Select(error => $"{error.Value} {error.Key}");
            throw new BenchmarkException($"{source} met errors: {string.Join(", ", named)} in {Requests} requests");
        }
    }

    /// <summary>The result, if the run was clean and every answer had its body.</summary>
    public LoadResult ToResult(string source, int bytesPerAnswer, LoadFigures figures)
    {
        ThrowIfFailed(source);
        if (MeasuredRequests <= 0 || MeasuredMicroseconds <= 0)
        {
            throw new BenchmarkException($"{source} completed no request");
        }

        if (Bytes < Requests * bytesPerAnswer)
        {
            throw new BenchmarkException(
                $"{source} received {Bytes} bytes in {Requests} answers that have {bytesPerAnswer} bytes each at least");
        }

        var measuresLatency = (figures & LoadFigures.Percentiles) != 0;
        if (measuresLatency && P50Microseconds <= 0)
        {
            throw new BenchmarkException($"{source} took no time of any request");
        }

        return new LoadResult(
            Requests,
            MeasuredRequests / MeasuredMicroseconds * 1e6,
            measuresLatency ? Latency.FromMicroseconds(P50Microseconds, P99Microseconds, P999Microseconds) : null);
    }
}

/// <summary>Generated reading and writing of <see cref="LoadReport"/>.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(LoadReport))]
internal sealed partial class LoadReportJson : JsonSerializerContext;
