using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace NumaSharp.Playground.Telemetry;

/// <summary>Metrics, traces and logs by OTLP, when the standard variable says where to.</summary>
internal static class OtlpExport
{
    private const string EndpointKey = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static readonly string[] s_meters =
        ["System.Runtime", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel"];

    public static void AddOtlpExport(this IHostApplicationBuilder builder)
    {
        var endpoint = builder.Configuration[EndpointKey];
        if (string.IsNullOrWhiteSpace(endpoint))
        {
            return;
        }

        if (!Uri.TryCreate(endpoint, UriKind.Absolute, out var uri) || uri.Scheme is not ("http" or "https"))
        {
            builder.Services.AddOptions<OtlpEndpoint>()
                .Validate(
                    static _ => false,
                    $"{EndpointKey}: '{endpoint}' is not allowed; allowed is such as http://127.0.0.1:4317.")
                .ValidateOnStart();
            return;
        }

        // On the app's own services, so that what libraries registered by ConfigureOpenTelemetryMeterProvider counts.
        new Builder(builder.Services)
            .WithMetrics(static metrics => metrics.AddMeter(s_meters))
            .WithTracing(static tracing => tracing.AddSource("Microsoft.AspNetCore"))
            .WithLogging(configureBuilder: null, static logs => logs.IncludeFormattedMessage = true)
            .UseOtlpExporter();
        builder.Services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, Starter>());
    }

    private sealed class OtlpEndpoint;

    private sealed class Builder(IServiceCollection services) : IOpenTelemetryBuilder
    {
        public IServiceCollection Services => services;
    }

    /// <summary>A provider listens from the moment it is resolved until the container is disposed.</summary>
    private sealed class Starter(IServiceProvider services) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            _ = services.GetRequiredService<MeterProvider>();
            _ = services.GetRequiredService<TracerProvider>();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
