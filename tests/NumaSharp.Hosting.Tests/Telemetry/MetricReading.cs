using System.Diagnostics.Metrics;
using System.Globalization;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>What one observation of a factory's NumaSharp meter gives.</summary>
internal sealed class MetricReading
{
    private readonly List<(string Name, long Value, int? NodeId, string Attributes)> _points = [];

    public List<Instrument> Instruments { get; } = [];

    public static MetricReading Take(IMeterFactory factory)
    {
        var reading = new MetricReading();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, source) =>
        {
            // Other hosts of this process have meters of the same name.
            if (instrument.Meter.Name == NumaTelemetry.MeterName && ReferenceEquals(instrument.Meter.Scope, factory))
            {
                reading.Instruments.Add(instrument);
                source.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => reading.Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => reading.Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => reading.Add(instrument, (long)value, tags));
        listener.Start();
        listener.RecordObservableInstruments();
        return reading;
    }

    public long Single(string name) => Assert.Single(_points, point => point.Name == name && point.NodeId is null).Value;

    public long[] PerNode(string name) =>
    [
        .. _points.Where(point => point.Name == name && point.NodeId is not null)
            .OrderBy(static point => point.NodeId)
            .Select(static point => point.Value),
    ];

    /// <summary>The distinct sets of attributes of an instrument's points.</summary>
    public IEnumerable<string> AttributesOf(string name) =>
        _points.Where(point => point.Name == name).Select(static point => point.Attributes).Distinct();

    private void Add(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        int? nodeId = null;
        foreach (var tag in tags)
        {
            if (tag.Key == NumaTelemetry.NodeIdAttribute)
            {
                nodeId = Convert.ToInt32(tag.Value, CultureInfo.InvariantCulture);
            }
        }

        _points.Add((instrument.Name, value, nodeId, string.Join(", ", tags.ToArray().Select(static tag => tag.Key))));
    }
}
