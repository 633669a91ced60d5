using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
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

    /// <summary>Makes Kestrel use the transport.</summary>
    public abstract void Configure(IWebHostBuilder host);

    /// <summary>The transport without Kestrel.</summary>
    public abstract IConnectionListenerFactory CreateFactory(TransportLimits limits);

    public Task<TestServer> SharedServerAsync() => _server.Value;

    /// <summary>A server that a test has for itself.</summary>
    public Task<TestServer> StartServerAsync(TestServerOptions? options = null) =>
        TestServer.StartAsync(Configure, options ?? new TestServerOptions());

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
