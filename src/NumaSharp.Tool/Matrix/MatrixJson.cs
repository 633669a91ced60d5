using System.Text.Json;

namespace NumaSharp.Tool.Matrix;

/// <summary>The matrix for programs (docs/guide/matrix.md).</summary>
internal static class MatrixJson
{
    public static string Write(NodeMatrix matrix)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartObject();
            json.WriteNumber("sizeBytes", matrix.Plan.SizeBytes);
            json.WriteNumber("repeat", matrix.Repeat);
            WriteColumns(json, matrix);
            WriteCells(json, matrix);
            json.WriteEndObject();
        }

        return System.Text.Encoding.UTF8.GetString(stream.ToArray());
    }

    private static void WriteColumns(Utf8JsonWriter json, NodeMatrix matrix)
    {
        json.WriteStartArray("nodes");
        foreach (var column in matrix.Columns)
        {
            json.WriteStartObject();
            json.WriteNumber("id", column.NodeId);
            json.WriteString("placement", column.Placement);
            json.WriteNumber("pagesChecked", column.PagesChecked);
            json.WriteNumber("pagesThere", column.PagesThere);
            WriteNumber(json, "hugePageBytes", column.HugePageBytes);
            json.WriteString("reason", column.Reason);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteCells(Utf8JsonWriter json, NodeMatrix matrix)
    {
        json.WriteStartArray("cells");
        foreach (var cell in matrix.Cells)
        {
            json.WriteStartObject();
            json.WriteNumber("cpu", cell.Row.Cpu);
            json.WriteNumber("cpuNode", cell.Row.NodeId);
            json.WriteNumber("memoryNode", cell.NodeId);
            WriteNumber(json, "latencyNanoseconds", Rounded(cell.Figures?.LatencyNanoseconds));
            WriteNumber(json, "gigabytesPerSecond", Rounded(cell.Figures?.GigabytesPerSecond));
            WriteNumber(json, "readMilliseconds", Rounded(cell.Figures?.ReadTime.TotalMilliseconds));
            json.WriteString("reason", cell.Reason);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static double? Rounded(double? value) => value is { } number ? Math.Round(number, 3) : null;

    private static void WriteNumber(Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, number);
        }
        else
        {
            json.WriteNull(name);
        }
    }
}
