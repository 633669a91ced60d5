using System.Text.Json;
using System.Text.Json.Serialization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Commands;

/// <summary>Reads and writes a set of CPUs or nodes as a kernel list.</summary>
internal sealed class CpuSetJsonConverter : JsonConverter<CpuSet>
{
    public override CpuSet Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        CpuSet.TryParseList(reader.GetString() ?? "", out var set)
            ? set
            : throw new JsonException("A kernel list such as '0-3,8' is needed.");

    public override void Write(Utf8JsonWriter writer, CpuSet value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value.ToString());
}
