using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

/// <summary>
/// Kestrel in this process, on end points of the fixture's choice. A test says what a path does by <see cref="On"/>, so
/// that both sides of a promise stand next to each other.
/// </summary>
public sealed class TestServer : IAsyncDisposable
{
    private readonly ConcurrentDictionary<string, RequestDelegate> _handlers = new(StringComparer.Ordinal);
    private readonly ErrorLog _log = new();
    private readonly ConnectionCount _connections = new();
    private readonly WebApplication _app;
    private ListenOptions? _http;
    private ListenOptions? _h2c;
    private ListenOptions? _tls;
    private ListenOptions? _raw;
    private ConnectionDelegate _onConnection = static _ => Task.CompletedTask;
    private int _lastHandler;

    private TestServer(Action<IWebHostBuilder> transport, TestServerOptions options)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders().AddProvider(_log)
            .SetMinimumLevel(LogLevel.Error)
            .AddFilter("Microsoft.AspNetCore.Server.Kestrel", LogLevel.Debug)
            .AddFilter("NumaSharp", LogLevel.Debug);
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = options.ShutdownTimeout);
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel => Listen(kestrel, options));
        transport(builder.WebHost);
        _app = builder.Build();
        _app.UseWebSockets();
        _app.Run(context => _handlers.TryGetValue(context.Request.Path.Value ?? "", out var handler)
            ? handler(context)
            : Replies.StatusAsync(context, StatusCodes.Status404NotFound));
        _handlers["/ping"] = static context => Replies.TextAsync(context, "pong");
    }

    public EndPoint Http => _http!.EndPoint;

    public EndPoint H2c => _h2c!.EndPoint;

    public EndPoint Tls => _tls!.EndPoint;

    /// <summary>An endpoint without HTTP, served by <see cref="OnConnection"/>.</summary>
    public EndPoint Raw => _raw!.EndPoint;

    /// <summary>What was logged as an error since the last call; empty for none.</summary>
    public string TakeErrors() => _log.Take();

    /// <summary>The last things that Kestrel and the transport said, of any level: for a test that failed.</summary>
    public string TakeRecentLog() => _log.TakeRecent();

    public static async Task<TestServer> StartAsync(Action<IWebHostBuilder> transport, TestServerOptions options)
    {
        var server = new TestServer(transport, options);
        await server._app.StartAsync().Within("the server's start");
        return server;
    }

    /// <summary>Gives a path of its own to a handler.</summary>
    public string On(RequestDelegate handler)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/on/{Interlocked.Increment(ref _lastHandler)}");
        _handlers[path] = handler;
        return path;
    }

    /// <summary>What to do with each connection to <see cref="Raw"/> from now on.</summary>
    public void OnConnection(ConnectionDelegate handler) => Volatile.Write(ref _onConnection, handler);

    /// <summary>Ends when the number of connections that Kestrel serves meets a condition.</summary>
    public Task WhenConnectionsAsync(Func<int, bool> condition) => _connections.WhenAsync(condition);

    /// <param name="patience">Canceled: requests that are still under way are aborted.</param>
    public Task StopAsync(CancellationToken patience = default) => _app.StopAsync(patience);

    public async ValueTask DisposeAsync() => await _app.DisposeAsync().Within("the server's disposal");

    private void Listen(KestrelServerOptions kestrel, TestServerOptions options)
    {
        kestrel.Limits.MaxRequestBodySize = null;
        kestrel.AllowSlowClients();
        options.Configure?.Invoke(kestrel);
        kestrel.Listen(options.EndPoint ?? options.NewEndPoint(), http => _http = Counted(http, HttpProtocols.Http1));
        kestrel.Listen(options.NewEndPoint(), h2c => _h2c = Counted(h2c, HttpProtocols.Http2));
        kestrel.Listen(options.NewEndPoint(), tls =>
        {
            _tls = Counted(tls, HttpProtocols.Http1AndHttp2);
            tls.UseHttps(TestCertificate.Instance);
        });
        kestrel.Listen(options.NewEndPoint(), raw =>
        {
            _raw = Counted(raw, HttpProtocols.Http1);
            raw.Run(connection => Volatile.Read(ref _onConnection)(connection));
        });
    }

    private ListenOptions Counted(ListenOptions endpoint, HttpProtocols protocols)
    {
        endpoint.Protocols = protocols;
        endpoint.Use(_connections.Counted);
        return endpoint;
    }
}
