using System.Text;

namespace NumaSharp.TestKit;

/// <summary>
/// A metric as opentelemetry/proto/metrics/v1/metrics.proto has it. The numbers are those of that file's fields.
/// </summary>
/// <param name="Meter">The name of the meter.</param>
/// <param name="Name">The name.</param>
/// <param name="Kind">The kind of the instrument.</param>
/// <param name="Unit">The unit.</param>
/// <param name="Description">The description.</param>
/// <param name="Attributes">The names of each point's attributes; the distinct ones.</param>
public sealed record OtlpMetric(
    string Meter, string Name, string Kind, string Unit, string Description, IReadOnlyCollection<string> Attributes)
{
    /// <summary>All metrics of an ExportMetricsServiceRequest.</summary>
    public static List<OtlpMetric> ReadAll(ReadOnlySpan<byte> request)
    {
        var metrics = new List<OtlpMetric>();
        for (var resource = new ProtobufReader(request); resource.Next(field: 1);)
        {
            for (var scope = new ProtobufReader(resource.Bytes); scope.Next(field: 2);)
            {
                ReadScope(scope.Bytes, metrics);
            }
        }

        return metrics;
    }

    private static void ReadScope(ReadOnlySpan<byte> scope, List<OtlpMetric> metrics)
    {
        var meter = TextOf(BytesOf(scope, 1), 1);
        for (var metric = new ProtobufReader(scope); metric.Next(field: 2);)
        {
            metrics.Add(Read(meter, metric.Bytes));
        }
    }

    private static OtlpMetric Read(string meter, ReadOnlySpan<byte> metric)
    {
        var (kind, points, attributes) = ("", 0, 7);
        for (var field = new ProtobufReader(metric); field.Next();)
        {
            switch (field.Field)
            {
                case 5:
                    (kind, points) = ("Gauge", 5);
                    break;
                case 7:
                    var isMonotonic = new ProtobufReader(field.Bytes);
                    (kind, points) = (isMonotonic.Next(field: 3) && isMonotonic.Value != 0 ? "Counter" : "UpDownCounter", 7);
                    break;
                case 9:
                    (kind, points, attributes) = ("Histogram", 9, 9);
                    break;
            }
        }

        return new OtlpMetric(
            meter,
            TextOf(metric, 1),
            kind,
            TextOf(metric, 3),
            TextOf(metric, 2),
            AttributesOf(BytesOf(metric, points), attributes));
    }

    private static HashSet<string> AttributesOf(ReadOnlySpan<byte> data, int attributes)
    {
        var all = new HashSet<string>(StringComparer.Ordinal);
        for (var point = new ProtobufReader(data); point.Next(field: 1);)
        {
            var names = new List<string>();
            for (var attribute = new ProtobufReader(point.Bytes); attribute.Next(attributes);)
            {
                names.Add(TextOf(attribute.Bytes, 1));
            }

            all.Add(string.Join(", ", names));
        }

        return all;
    }

    private static ReadOnlySpan<byte> BytesOf(ReadOnlySpan<byte> message, int field)
    {
        var reader = new ProtobufReader(message);
        return reader.Next(field) ? reader.Bytes : default;
    }

    private static string TextOf(ReadOnlySpan<byte> message, int field) => Encoding.UTF8.GetString(BytesOf(message, field));
}
