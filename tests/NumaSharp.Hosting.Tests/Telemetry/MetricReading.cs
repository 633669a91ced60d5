using System.Diagnostics.Metrics;
using System.Globalization;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>What one observation of a factory's NumaSharp meter gives.</summary>
internal sealed class MetricReading
{
    private readonly List<(string Name, long Value, int? NodeId)> _points = [];

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
        listener.Start();
        listener.RecordObservableInstruments();
        return reading;
    }

    public long Single(string name) => Assert.Single(_points, point => point.Name == name && point.NodeId is null).Value;

    public long[] PerNode(string name) =>
        [.. _points.Where(point => point.Name == name && point.NodeId is not null).OrderBy(static p => p.NodeId).Select(static p => p.Value)];

    private void Add(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        int? nodeId = null;
        foreach (var tag in tags)
        {
            Assert.Equal(NumaTelemetry.NodeIdAttribute, tag.Key);
            nodeId = Convert.ToInt32(tag.Value, CultureInfo.InvariantCulture);
        }

        _points.Add((instrument.Name, value, nodeId));
    }
}
