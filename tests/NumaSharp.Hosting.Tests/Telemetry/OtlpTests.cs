using System.Net;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Tests.Shared;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>What arrives at a collector.</summary>
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
            new OpenTelemetryBuilder(builder.Services).WithMetrics(static metrics => metrics.AddOtlpExporter());
        });
        var provider = app.Services.GetRequiredService<MeterProvider>();
        await MeteredApp.WorkAsync(app.Services);

        Assert.True(provider.ForceFlush(30_000));
        Assert.Equal(
            MetricsReference.All.Order().Select(static m => ("NumaSharp", m.Name, m.Kind, m.Unit, m.Description, m.Attributes)),
            receiver.Metrics.Values.OrderBy(static m => m.Name, StringComparer.Ordinal)
                .Select(static m => (m.Meter, m.Name, m.Kind, m.Unit, m.Description, Assert.Single(m.Attributes))));
        await app.StopAsync(TestContext.Current.CancellationToken);
    }
}
