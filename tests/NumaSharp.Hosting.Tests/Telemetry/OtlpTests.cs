using System.Net;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Hosting.Tests.Support;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>What arrives at a collector.</summary>
[Collection(nameof(MeterProviders))]
public sealed class OtlpTests
{
    [Theory]
    [InlineData("grpc")]
    [InlineData("http/protobuf")]
    public async Task Export_ByStandardVariables_BringsEveryMetricOfTheReference(string protocol)
    {
        await using var receiver = await OtlpReceiver.StartAsync(protocol);
        await using var app = await MeteredApp.StartAsync(builder =>
        {
            // The environment is one of the configuration's sources.
            builder.Configuration["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.Address.AbsoluteUri;
            builder.Configuration["OTEL_EXPORTER_OTLP_PROTOCOL"] = protocol;
            builder.Configuration["OTEL_EXPORTER_OTLP_TIMEOUT"] = $"{Wait.Limit.TotalMilliseconds}";
            builder.Services.AddOpenTelemetry().WithMetrics(static metrics => metrics.AddOtlpExporter());
        });
        var provider = app.Services.GetRequiredService<MeterProvider>();
        await MeteredApp.WorkAsync(app.Services);

        Assert.True(provider.ForceFlush((int)Wait.Limit.TotalMilliseconds));
        Assert.Equal(
            MetricsReference.OfThisMachine
                .Select(static m => $"NumaSharp {m with { Attributes = Sorted(m.Attributes) }}").Order(StringComparer.Ordinal),
            receiver.Metrics.Values
                .Select(static m => (m.Meter, Row: (m.Name, m.Kind, m.Unit, AllOf(m.Attributes), m.Description)))
                .Select(static m => $"{m.Meter} {m.Row}")
                .Order(StringComparer.Ordinal));
        await app.StopAsync(TestContext.Current.CancellationToken);
    }

    private static string AllOf(IEnumerable<string> attributes) => string.Join("; ", attributes.Select(Sorted));

    // The exporter has an order of its own.
    private static string Sorted(string attributes) =>
        string.Join(", ", attributes.Split(", ").Order(StringComparer.Ordinal));
}
