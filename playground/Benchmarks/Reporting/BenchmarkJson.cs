using System.Text.Json;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>{"machine": {...}, "rows": [...]}</summary>
internal static class BenchmarkJson
{
    private static readonly JsonWriterOptions s_options = new() { Indented = true };

    public static void Write(Stream stream, MachineDescription machine, IEnumerable<BenchmarkRow> rows)
    {
        using var writer = new Utf8JsonWriter(stream, s_options);
        writer.WriteStartObject();
        writer.WritePropertyName("machine");
        machine.WriteTo(writer);
        writer.WriteStartArray("rows");
        foreach (var row in rows)
        {
            Write(writer, row);
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter writer, BenchmarkRow row)
    {
        writer.WriteStartObject();
        writer.WriteString("name", row.Name);
        writer.WriteString("peer", row.Peer);
        writer.WriteNumber("ours", row.Ours);
        writer.WriteNumber("theirs", row.Theirs);
        writer.WriteString("unit", row.Unit);
        writer.WriteNumber("ratio", row.Ratio);
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
}
