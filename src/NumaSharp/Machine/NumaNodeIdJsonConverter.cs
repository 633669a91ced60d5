using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace NumaSharp.Core;

/// <summary>Writes and reads a node's id as its number, also as the key of an object. Thread-safe.</summary>
public sealed class NumaNodeIdJsonConverter : JsonConverter<NumaNodeId>
{
    /// <inheritdoc/>
    /// <exception cref="JsonException">It is not a number from 0 to <see cref="CpuSet.MaxId"/>.</exception>
    public override NumaNodeId Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType == JsonTokenType.Number && reader.TryGetInt32(out var value) && NumaNodeId.IsValid(value)
            ? new NumaNodeId(value)
            : throw NotAnId();

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, NumaNodeId value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteNumberValue(value.Value);
    }

    /// <inheritdoc/>
    /// <exception cref="JsonException">It is not a number from 0 to <see cref="CpuSet.MaxId"/>.</exception>
    public override NumaNodeId ReadAsPropertyName(
        ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        int.TryParse(reader.GetString(), NumberStyles.None, CultureInfo.InvariantCulture, out var value)
        && NumaNodeId.IsValid(value)
            ? new NumaNodeId(value)
            : throw NotAnId();

    /// <inheritdoc/>
    public override void WriteAsPropertyName(Utf8JsonWriter writer, NumaNodeId value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WritePropertyName(value.Value.ToString(CultureInfo.InvariantCulture));
    }

    private static JsonException NotAnId() => new($"A node's id is a number from 0 to {CpuSet.MaxId}.");
}
