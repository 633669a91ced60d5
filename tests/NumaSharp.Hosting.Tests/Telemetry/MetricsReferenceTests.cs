using System.Diagnostics.Metrics;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class MetricsReferenceTests
{
    [Fact]
    public void Constants_AllAndOnlyThese_AreInTheReference()
    {
        var constants = typeof(NumaTelemetry).GetFields(BindingFlags.NonPublic | BindingFlags.Static)
            .Where(static field => !field.Name.EndsWith("Attribute", StringComparison.Ordinal))
            .Select(static field => (string)field.GetRawConstantValue()!)
            .Where(static name => name.StartsWith("numasharp.", StringComparison.Ordinal));
        Assert.Equal(
            constants.Order(StringComparer.Ordinal),
            MetricsReference.All.Select(static metric => metric.Name).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Instruments_KindUnitAndDescription_AreThoseOfTheReference()
    {
        using var host = NumaHost.Create();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var instruments = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>()).Instruments;
        Assert.Equal(
            MetricsReference.All.Select(static m => (m.Name, m.Kind, m.Unit, m.Description)).Order(),
            instruments.Select(static i => (i.Name, KindOf(i), i.Unit!, i.Description!)).Order());
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Points_OfAServerThatListens_HaveTheAttributesOfTheReference()
    {
        await using var app = await MeteredApp.StartAsync();
        var reading = MetricReading.Take(app.Services.GetRequiredService<IMeterFactory>());
        Assert.All(
            MetricsReference.OfThisMachine.Where(static metric => metric.Kind != "Histogram"),
            metric => Assert.Equal([metric.Attributes], reading.AttributesOf(metric.Name)));
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    private static string KindOf(Instrument instrument) =>
        instrument.GetType().Name is var name && name.StartsWith("ObservableUpDownCounter", StringComparison.Ordinal)
            ? "UpDownCounter"
            : name.StartsWith("ObservableCounter", StringComparison.Ordinal) ? "Counter"
            : name.StartsWith("ObservableGauge", StringComparison.Ordinal) ? "Gauge"
            : instrument is Histogram<double> ? "Histogram" : name;
}
