using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Kestrel with end points of a test's choice; it answers with the transport that has served the request.</summary>
internal sealed class EndPointServer : IAsyncDisposable
{
    public const string Ours = "epoll";
    public const string Stock = "stock";

    private readonly WebApplication _app;

    private EndPointServer(WebApplication app) => _app = app;

    public IServiceProvider Services => _app.Services;

    /// <summary>The addresses, as Kestrel reports them, in the order in which they were bound.</summary>
    public IReadOnlyList<string> Addresses =>
        [.. _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses];

    public static async Task<EndPointServer> StartAsync(
        Action<KestrelServerOptions>? configure = null,
        Action<IServiceCollection>? services = null,
        params (string Key, string? Value)[] settings)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration.AddInMemoryCollection(
            settings.Select(static setting => KeyValuePair.Create(setting.Key, setting.Value)));
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.AllowSlowClients();
        builder.WebHost.ConfigureKestrel(kestrel => configure?.Invoke(kestrel));
        services?.Invoke(builder.Services);
        builder.AddNuma();
        var app = builder.Build();
        app.Run(static context => context.Response.WriteAsync(
            context.Features.Get<INumaConnectionFeature>() is null ? Stock : Ours, context.RequestAborted));
        try
        {
            await app.StartAsync(TestContext.Current.CancellationToken);
            return new EndPointServer(app);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    /// <summary>Sends one request over a connection of its own.</summary>
    /// <param name="endPoint">Where to; <see langword="null"/> for what the address says.</param>
    /// <param name="address">The URL.</param>
    public static async Task<string> GetAsync(string address, EndPoint? endPoint = null)
    {
        var handler = new SocketsHttpHandler();
        handler.SslOptions.RemoteCertificateValidationCallback = static (_, certificate, _, _) =>
            certificate?.Subject == "CN=localhost";
        if (endPoint is not null)
        {
            handler.ConnectCallback = async (_, token) =>
            {
                var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(endPoint, token);
                return new NetworkStream(socket, ownsSocket: true);
            };
        }

        using var client = TestHttpClient.Create(handler: handler);
        return await client.GetStringAsync(new Uri(address), TestContext.Current.CancellationToken);
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();
}
