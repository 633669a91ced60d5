using System.Collections.Concurrent;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>
/// A transport under test. The suites take it from their concrete class; the server that most of them share is started for
/// the first that asks.
/// </summary>
public abstract class TransportFixture : IAsyncLifetime
{
    private readonly ConcurrentDictionary<TransportLimits, Lazy<Task<TestServer>>> _servers = new();

    /// <summary>Whether a connection can end with a reset: TCP's can, a Unix socket's cannot.</summary>
    public virtual bool HasReset => true;

    /// <summary>Where the next listener of a test goes that does not say.</summary>
    public virtual EndPoint NewEndPoint() => new IPEndPoint(IPAddress.Loopback, 0);

    /// <summary>Makes Kestrel use the transport.</summary>
    public abstract void Configure(IWebHostBuilder host, TransportLimits limits);

    /// <summary>Whether a connection's socket has TCP_NODELAY.</summary>
    public abstract bool HasNoDelay(ConnectionContext connection);

    /// <summary>The transport without Kestrel.</summary>
    public abstract IConnectionListenerFactory CreateFactory(TransportLimits limits);

    /// <summary>Both ends of a connection without Kestrel.</summary>
    /// <param name="limits">Of the transport's end.</param>
    /// <param name="receiveBuffer">The kernel's buffer at the other end, in bytes; null for the system's.</param>
    internal virtual Task<RawConnection> OpenAsync(TransportLimits limits, int? receiveBuffer) =>
        RawConnection.OpenAsync(CreateFactory(limits), NewEndPoint(), receiveBuffer);

    /// <summary>The server with these limits that tests share.</summary>
    public Task<TestServer> SharedServerAsync(TransportLimits limits) =>
        _servers.GetOrAdd(limits, key => new(() => StartServerAsync(limits: key))).Value;

    /// <summary>A server that a test has for itself.</summary>
    public Task<TestServer> StartServerAsync(TestServerOptions? options = null, TransportLimits? limits = null) =>
        TestServer.StartAsync(
            host => Configure(host, limits ?? TransportLimits.Default),
            (options ?? new TestServerOptions()) with { NewEndPoint = NewEndPoint });

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        await DisposeTransportAsync();
        foreach (var server in _servers.Values)
        {
            await (await server.Value).DisposeAsync();
        }
    }

    /// <summary>Releases what the concrete transport owns; the shared server is still up.</summary>
    protected virtual ValueTask DisposeTransportAsync() => ValueTask.CompletedTask;
}
