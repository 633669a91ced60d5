using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Kestrel's own socket transport on a loopback port under AddNuma(); what is posted comes back.</summary>
internal sealed class WebServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly HttpClient _client;

    private WebServer(WebApplication app)
    {
        _app = app;
        _client = TestHttpClient.Create(new Uri(app.Urls.Single()));
    }

    public IServiceProvider Services => _app.Services;

    public static WebApplicationBuilder CreateBuilder(HttpProtocols protocols, params (string Key, string? Value)[] settings)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration.AddInMemoryCollection(settings.Select(static setting =>
            KeyValuePair.Create("Numa:" + setting.Key, setting.Value)));
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.AllowSlowClients();
        builder.WebHost.ConfigureKestrel(kestrel =>
            kestrel.ConfigureEndpointDefaults(endpoint => endpoint.Protocols = protocols));
        return builder;
    }

    public static async Task<WebServer> StartAsync(WebApplicationBuilder builder, Action<HttpContext>? onRequest = null)
    {
        var app = builder.Build();
        app.Run(async context =>
        {
            onRequest?.Invoke(context);
            await context.Request.BodyReader.CopyToAsync(context.Response.BodyWriter, context.RequestAborted);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new WebServer(app);
    }

    public async Task<byte[]> EchoAsync(byte[] body, Version version)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/")
        {
            Content = new ByteArrayContent(body),
            Version = version,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        using var response = await _client.SendAsync(request, TestContext.Current.CancellationToken);
        Assert.Equal(version, response.Version);
        return await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
    }

    public async Task StopAsync()
    {
        _client.Dispose();
        await _app.StopAsync(TestContext.Current.CancellationToken);
    }

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return _app.DisposeAsync();
    }
}
