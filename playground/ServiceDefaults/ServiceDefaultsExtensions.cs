using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace NumaSharp.Playground.ServiceDefaults;

/// <summary>What every service of the AppHost has, as Aspire's templates do it.</summary>
public static class ServiceDefaultsExtensions
{
    private static readonly string[] s_meters =
    [
        "System.Runtime", "System.Net.Http", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel",
    ];

    private static readonly string[] s_sources = ["System.Net.Http", "Microsoft.AspNetCore"];

    /// <summary>
    /// Metrics, traces and logs by OTLP to where the standard variables say, which is what the dashboard listens to. The meter of
    /// NumaSharp needs no line here: <c>AddNuma()</c> adds it to whatever provider there is.
    /// </summary>
    /// <param name="builder">The host.</param>
    /// <param name="meters">The service's own meters.</param>
    public static void AddServiceDefaults(this IHostApplicationBuilder builder, params string[] meters)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var telemetry = builder.Services.AddOpenTelemetry()
            .WithMetrics(metrics => metrics.AddMeter([.. s_meters, .. meters]))
            .WithTracing(tracing => tracing.AddSource([.. s_sources, builder.Environment.ApplicationName]))
            .WithLogging(configureBuilder: null, static logs => logs.IncludeFormattedMessage = true);
        if (!string.IsNullOrWhiteSpace(builder.Configuration["OTEL_EXPORTER_OTLP_ENDPOINT"]))
        {
            telemetry.UseOtlpExporter();
        }
    }
}
