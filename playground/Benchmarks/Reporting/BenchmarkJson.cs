using System.Text.Json;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>{"machine": {...}, "rows": [...]}</summary>
internal static class BenchmarkJson
{
    private const int SpreadDigits = 4;

    private static readonly JsonWriterOptions s_options = new() { Indented = true };

    public static void Write(Stream stream, BenchmarkResult result)
    {
        using var writer = new Utf8JsonWriter(stream, s_options);
        writer.WriteStartObject();
        writer.WritePropertyName("machine");
        result.Machine.WriteTo(writer);
        writer.WriteStartArray("rows");
        foreach (var (row, spread) in result.Rows)
        {
            Write(writer, row, spread);
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    /// <summary>A file that <see cref="Write(Stream, BenchmarkResult)"/> has written.</summary>
    public static BenchmarkResult Read(string file) => Read(file, static root => new BenchmarkResult(
        MachineDescription.Read(root.GetProperty("machine")), RowsOf(root)));

    /// <summary>
    /// The rows of a file that this or an earlier build has written: machines have been described in other ways.
    /// </summary>
    public static IReadOnlyList<MeasuredRow> ReadRows(string file) => Read(file, RowsOf);

    private static MeasuredRow[] RowsOf(JsonElement root) =>
        [.. root.GetProperty("rows").EnumerateArray().Select(ReadRow)];

    private static T Read<T>(string file, Func<JsonElement, T> read)
    {
        try
        {
            using var document = JsonDocument.Parse(File.ReadAllText(file));
            return read(document.RootElement);
        }
        catch (Exception failure) when (failure is JsonException or KeyNotFoundException or InvalidOperationException
            or FormatException or IOException or UnauthorizedAccessException)
        {
            throw new BenchmarkException($"{file} is no result of a benchmark: {failure.Message}");
        }
    }

    private static void Write(Utf8JsonWriter writer, BenchmarkRow row, double? spread)
    {
        writer.WriteStartObject();
        writer.WriteString("name", row.Name);
        writer.WriteString("peer", row.Peer);
        writer.WriteNumber("ours", row.Ours);
        writer.WriteNumber("theirs", row.Theirs);
        writer.WriteString("unit", row.Unit);
        writer.WriteNumber("ratio", row.Ratio);

        // Ratios of 0 have none.
        if (spread is { } share && double.IsFinite(share))
        {
            writer.WriteNumber("spread", Math.Round(share, SpreadDigits));
        }

        if (row.Target.Required is { } required)
        {
            writer.WriteNumber("required", required);
        }

        if (row.Target.Goal is { } goal)
        {
            writer.WriteNumber("goal", goal);
        }

        writer.WriteEndObject();
    }

    private static MeasuredRow ReadRow(JsonElement row)
    {
        return new MeasuredRow(
            BenchmarkRow.Written(
                Text("name"),
                Text("peer"),
                row.GetProperty("ours").GetDouble(),
                row.GetProperty("theirs").GetDouble(),
                Text("unit"),
                row.GetProperty("ratio").GetDouble(),
                new RowTarget(Number("required"), Number("goal"))),
            Number("spread"));

        string Text(string name) =>
            row.GetProperty(name).GetString() ?? throw new FormatException($"'{name}' of a row is null");
        double? Number(string name) => row.TryGetProperty(name, out var value) ? value.GetDouble() : null;
    }
}
