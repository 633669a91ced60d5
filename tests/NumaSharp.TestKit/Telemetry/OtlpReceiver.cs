using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace NumaSharp.TestKit;

/// <summary>
/// Receives OTLP over the wire, as a collector does, over gRPC or over HTTP
/// (<see href="https://opentelemetry.io/docs/specs/otlp/">the specification</see>), and keeps the metrics.
/// </summary>
public sealed class OtlpReceiver : IAsyncDisposable
{
    private const int FrameHeader = 5;

    private readonly WebApplication _app;
    private readonly ConcurrentDictionary<string, OtlpMetric> _metrics = new(StringComparer.Ordinal);

    private OtlpReceiver(WebApplication app) => _app = app;

    public Uri Address => new(_app.Urls.Single());

    /// <summary>The last that was received of each metric, by its name.</summary>
    public IReadOnlyDictionary<string, OtlpMetric> Metrics => _metrics;

    /// <param name="protocol">As <c>OTEL_EXPORTER_OTLP_PROTOCOL</c> has it: <c>grpc</c> or <c>http/protobuf</c>.</param>
    public static async Task<OtlpReceiver> StartAsync(string protocol)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.AllowSlowClients();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureEndpointDefaults(endpoint =>
            endpoint.Protocols = protocol == "grpc" ? HttpProtocols.Http2 : HttpProtocols.Http1));
        var app = builder.Build();
        var receiver = new OtlpReceiver(app);
        app.MapPost("/v1/{signal}", receiver.OnHttpAsync);
        app.MapPost("/opentelemetry.proto.collector.{signal}.v1.{service}/Export", receiver.OnGrpcAsync);
        await app.StartAsync();
        return receiver;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task OnHttpAsync(HttpContext context, string signal)
    {
        Receive(signal, (await ReadAsync(context)).Span);
        context.Response.ContentType = "application/x-protobuf";
    }

    // https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
    private async Task OnGrpcAsync(HttpContext context, string signal, string service)
    {
        var body = await ReadAsync(context);
        Assert.Equal($"{signal}service", service, ignoreCase: true);
        Assert.Equal(0, body.Span[0]);
        Receive(signal, body.Span[FrameHeader..]);
        context.Response.ContentType = "application/grpc";
        await context.Response.Body.WriteAsync(new byte[FrameHeader]);
        context.Response.AppendTrailer("grpc-status", "0");
    }

    private static async Task<ReadOnlyMemory<byte>> ReadAsync(HttpContext context)
    {
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        return body.ToArray();
    }

    private void Receive(string signal, ReadOnlySpan<byte> request)
    {
        if (signal != "metrics")
        {
            return;
        }

        foreach (var metric in OtlpMetric.ReadAll(request))
        {
            _metrics[metric.Name] = metric;
        }
    }
}
