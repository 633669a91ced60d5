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
    private readonly Lazy<Task<TestServer>> _server;

    protected TransportFixture() => _server = new(() => StartServerAsync());

    /// <summary>Whether connections have IConnectionEndPointFeature; Kestrel's own sockets do not.</summary>
    public virtual bool HasEndPointFeature => true;

    /// <summary>Whether bytes are received before the application asks for them.</summary>
    public virtual bool ReadsAhead => true;

    /// <summary>Whether a connection can end with a reset: TCP's can, a Unix socket's cannot.</summary>
    public virtual bool HasReset => true;

    /// <summary>Where the next listener of a test goes that does not say.</summary>
    public virtual EndPoint NewEndPoint() => new IPEndPoint(IPAddress.Loopback, 0);

    /// <summary>Makes Kestrel use the transport.</summary>
    public abstract void Configure(IWebHostBuilder host);

    /// <summary>The transport without Kestrel.</summary>
    public abstract IConnectionListenerFactory CreateFactory(TransportLimits limits);

    /// <summary>Both ends of a connection without Kestrel.</summary>
    /// <param name="limits">Of the transport's end.</param>
    /// <param name="receiveBuffer">The kernel's buffer at the other end, in bytes; null for the system's.</param>
    internal virtual Task<RawConnection> OpenAsync(TransportLimits limits, int? receiveBuffer) =>
        RawConnection.OpenAsync(CreateFactory(limits), NewEndPoint(), receiveBuffer);

    public Task<TestServer> SharedServerAsync() => _server.Value;

    /// <summary>A server that a test has for itself.</summary>
    public Task<TestServer> StartServerAsync(TestServerOptions? options = null) =>
        TestServer.StartAsync(Configure, (options ?? new TestServerOptions()) with { NewEndPoint = NewEndPoint });

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        await DisposeTransportAsync();
        if (_server.IsValueCreated)
        {
            await (await _server.Value).DisposeAsync();
        }
    }

    /// <summary>Releases what the concrete transport owns; the shared server is still up.</summary>
    protected virtual ValueTask DisposeTransportAsync() => ValueTask.CompletedTask;
}
