using System.Text.Json;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>The JSON of a folder of results.</summary>
/// <param name="Measured">The kinds that have a result.</param>
/// <param name="NotMeasured">The others, and why.</param>
internal sealed record ResultSet(IReadOnlyList<KindResult> Measured, IReadOnlyList<KindReason> NotMeasured)
{
    /// <summary>Kinds that could not be measured: {"http": "not on PATH: wrk; ..."}.</summary>
    public const string ReasonsFile = "not-measured.json";

    private const string NoReason = "it was not run";

    private static readonly JsonWriterOptions s_options = new() { Indented = true };

    public static string FileOf(string kind) => $"{kind}.json";

    public static ResultSet Read(string folder)
    {
        var reasons = ReadReasons(Path.Combine(folder, ReasonsFile));
        var files = BenchmarkKinds.All.ToLookup(kind => File.Exists(Path.Combine(folder, FileOf(kind))));
        return files.Contains(true)
            ? new ResultSet(
                [.. files[true].Select(kind => new KindResult(kind, BenchmarkJson.Read(Path.Combine(folder, FileOf(kind)))))],
                [.. files[false].Select(kind => new KindReason(kind, reasons.GetValueOrDefault(kind, NoReason)))])
            : throw new BenchmarkException(
                $"{folder} has no result; a result is one of {string.Join(", ", BenchmarkKinds.All.Select(FileOf))}");
    }

    public static void WriteReasons(string folder, IEnumerable<KindReason> reasons)
    {
        using var stream = File.Create(Path.Combine(folder, ReasonsFile));
        using var writer = new Utf8JsonWriter(stream, s_options);
        writer.WriteStartObject();
        foreach (var (kind, reason) in reasons)
        {
            writer.WriteString(kind, reason);
        }

        writer.WriteEndObject();
    }

    private static Dictionary<string, string> ReadReasons(string file)
    {
        if (!File.Exists(file))
        {
            return [];
        }

        try
        {
            return JsonSerializer.Deserialize<Dictionary<string, string>>(File.ReadAllText(file)) ?? [];
        }
        catch (JsonException failure)
        {
            throw new BenchmarkException($"{file} has no reasons: {failure.Message}");
        }
    }
}

/// <summary>What a kind of benchmark gave.</summary>
internal sealed record KindResult(string Kind, BenchmarkResult Result);

/// <summary>Why a kind of benchmark has no result.</summary>
internal sealed record KindReason(string Kind, string Reason);
