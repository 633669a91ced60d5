using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace NumaSharp.Core;

/// <summary>
/// The kernel's id of a NUMA node, as in <c>/sys/devices/system/node/nodeN</c>. Ids may have gaps, so an id is not a position
/// in <see cref="NumaTopology.Nodes"/> or in the nodes of a plan: such positions are <see cref="int"/>, and neither
/// converts to the other. Immutable; the default value is node 0. Text and JSON have the number.
/// </summary>
[JsonConverter(typeof(NumaNodeIdJsonConverter))]
public readonly record struct NumaNodeId : IComparable<NumaNodeId>, ISpanFormattable
{
    /// <summary>Takes the kernel's number.</summary>
    /// <param name="value">From 0 to <see cref="CpuSet.MaxId"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is not a valid kernel id.</exception>
    public NumaNodeId(int value) => Value = IsValid(value) ? value : throw NotAnId(value, nameof(value));

    /// <summary>The kernel's number, from 0 to <see cref="CpuSet.MaxId"/>.</summary>
    public int Value { get; }

    /// <summary>Whether the first is the smaller id.</summary>
    /// <param name="left">The first.</param>
    /// <param name="right">The second.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator <(NumaNodeId left, NumaNodeId right) => left.Value < right.Value;

    /// <summary>Whether the first is the larger id.</summary>
    /// <param name="left">The first.</param>
    /// <param name="right">The second.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator >(NumaNodeId left, NumaNodeId right) => left.Value > right.Value;

    /// <summary>Whether the first is the smaller id, or both are the same.</summary>
    /// <param name="left">The first.</param>
    /// <param name="right">The second.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator <=(NumaNodeId left, NumaNodeId right) => left.Value <= right.Value;

    /// <summary>Whether the first is the larger id, or both are the same.</summary>
    /// <param name="left">The first.</param>
    /// <param name="right">The second.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator >=(NumaNodeId left, NumaNodeId right) => left.Value >= right.Value;

    /// <inheritdoc/>
    public int CompareTo(NumaNodeId other) => Value.CompareTo(other.Value);

    /// <summary>The number, such as <c>2</c>.</summary>
    /// <returns>The number in digits.</returns>
    public override string ToString() => Value.ToString(CultureInfo.InvariantCulture);

    /// <inheritdoc/>
    public string ToString(string? format, IFormatProvider? formatProvider) => Value.ToString(format, formatProvider);

    /// <inheritdoc/>
    public bool TryFormat(
        Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        Value.TryFormat(destination, out charsWritten, format, provider);

    /// <summary>An id from an argument with its own parameter name.</summary>
    internal static NumaNodeId Check(int value, string parameter) =>
        IsValid(value) ? new NumaNodeId(value) : throw NotAnId(value, parameter);

    internal static bool IsValid(int value) => value is >= 0 and <= CpuSet.MaxId;

    private static ArgumentOutOfRangeException NotAnId(int value, string parameter) =>
        new(parameter, value, $"A node's id is from 0 to {CpuSet.MaxId}.");
}

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
