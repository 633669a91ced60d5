using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace NumaSharp.Playground.ServiceDefaults;

/// <summary>What every service of the playground has, as Aspire's templates do it.</summary>
public static class ServiceDefaultsExtensions
{
    private const string EndpointKey = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private static readonly string[] s_meters =
    [
        "System.Runtime", "System.Net.Http", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel",
    ];

    private static readonly string[] s_sources = ["System.Net.Http", "Microsoft.AspNetCore"];

    /// <summary>
    /// Metrics, traces and logs by OTLP to where the standard variables say, which is what the dashboard listens to. Without
    /// them nothing is exported: measuring without an exporter would cost each request. The meter of NumaSharp
    /// needs no line here: <c>AddNuma()</c> adds it to whatever provider there is.
    /// </summary>
    /// <param name="builder">The host.</param>
    /// <param name="meters">The service's own meters.</param>
    public static void AddServiceDefaults(this IHostApplicationBuilder builder, params string[] meters)
    {
        ArgumentNullException.ThrowIfNull(builder);
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

        builder.Services.AddOpenTelemetry()
            .WithMetrics(metrics => metrics.AddMeter([.. s_meters, .. meters]))
            .WithTracing(tracing => tracing.AddSource([.. s_sources, builder.Environment.ApplicationName]))
            .WithLogging(configureBuilder: null, static logs => logs.IncludeFormattedMessage = true)
            .UseOtlpExporter();
    }

    private sealed class OtlpEndpoint;
}
