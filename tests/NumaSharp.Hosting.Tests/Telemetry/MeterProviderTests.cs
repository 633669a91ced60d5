using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Udp;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>An application that has a MeterProvider sees the meter without naming it.</summary>
[Collection(nameof(MeterProviders))]
public sealed class MeterProviderTests
{
    [Fact]
    public async Task MeterProvider_OfTheApplication_ExportsEveryInstrument()
    {
        using var exporter = new Exporter();
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.AddNuma(static numa => numa.AddMachine(NumaHost.TwoNodes()));
        builder.Services.AddOpenTelemetry()
            .WithMetrics(metrics => metrics.AddReader(new BaseExportingMetricReader(exporter)));
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);

        // A histogram has no points before something was measured.
        await MeteredApp.WorkAsync(host.Services);
        host.Services.GetRequiredService<NumaFallbacks>().Report(new NumaFallback("test.feature", "It is unavailable.", new(0)));

        // Nor has any UDP instrument without a socket, which needs Linux.
        var udp = host.Services.GetRequiredService<NumaUdpSocketFactory>();
        await using var socket = OperatingSystem.IsLinux()
            ? udp.Bind(new IPEndPoint(IPAddress.Loopback, 0), new EchoHandler())
            : null;

        Assert.True(host.Services.GetRequiredService<MeterProvider>().ForceFlush());

        // The managed heap's pages are on the real machine, whose nodes are not the simulated ones.
        Assert.Equal(
            MetricsReference.All.Select(static m => m.Name)
                .Where(static name => name != NumaTelemetry.NodeManagedHeapUsage)
                .Where(name => socket is not null || !name.StartsWith("numasharp.udp.", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal),
            exporter.Points.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(
            ["numasharp.node.id=0", "numasharp.node.id=1"],
            exporter.Points[NumaTelemetry.PoolCommitted].Order(StringComparer.Ordinal));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private sealed class Exporter : BaseExporter<Metric>
    {
        public Dictionary<string, List<string>> Points { get; } = [];

        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (var metric in batch)
            {
                if (metric.MeterName == NumaTelemetry.MeterName)
                {
                    Points[metric.Name] = [.. TagsOf(metric)];
                }
            }

            return ExportResult.Success;
        }

        private static List<string> TagsOf(Metric metric)
        {
            var points = new List<string>();
            foreach (ref readonly var point in metric.GetMetricPoints())
            {
                var tags = new List<string>();
                foreach (var tag in point.Tags)
                {
                    tags.Add($"{tag.Key}={tag.Value}");
                }

                points.Add(string.Join(",", tags));
            }

            return points;
        }
    }
}
