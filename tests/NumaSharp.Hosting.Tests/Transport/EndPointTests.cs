using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>Every way in which an application gives Kestrel its end points.</summary>
public sealed class EndPointTests
{
    public EndPointTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Fact]
    public async Task Endpoints_FromConfiguration_HttpHttpsAndUnixAreAllServed()
    {
        using var folder = new TemporaryFolder();
        var certificate = folder.PathOf("server.pfx");
        await File.WriteAllBytesAsync(certificate, CreateCertificate(), TestContext.Current.CancellationToken);
        var socket = folder.PathOf("server.sock");
        await using var server = await EndPointServer.StartAsync(null, null,
            ("Kestrel:Endpoints:A:Url", "http://127.0.0.1:0"),
            ("Kestrel:Endpoints:B:Url", "https://127.0.0.1:0"),
            ("Kestrel:Endpoints:B:Certificate:Path", certificate),
            ("Kestrel:Endpoints:C:Url", $"http://unix:{socket}"));

        Assert.Equal(3, server.Addresses.Count);
        Assert.Equal(EndPointServer.Ours, await EndPointServer.GetAsync(server.Addresses[0]));
        Assert.StartsWith("https:", server.Addresses[1], StringComparison.Ordinal);
        Assert.Equal(EndPointServer.Ours, await EndPointServer.GetAsync(server.Addresses[1]));
        Assert.Equal(
            EndPointServer.Ours, await EndPointServer.GetAsync("http://localhost/", new UnixDomainSocketEndPoint(socket)));
    }

    [Fact]
    public async Task Listen_InCode_MiddlewareOfEachEndPointRuns()
    {
        using var folder = new TemporaryFolder();
        var socket = folder.PathOf("server.sock");
        var seen = new List<string>();
        await using var server = await EndPointServer.StartAsync(kestrel =>
        {
            kestrel.ConfigureEndpointDefaults(endpoint => endpoint.Use(next => connection =>
            {
                seen.Add("default");
                return next(connection);
            }));
            kestrel.Listen(IPAddress.Loopback, 0, endpoint => endpoint.Use(next => connection =>
            {
                seen.Add("tcp");
                return next(connection);
            }));
            kestrel.ListenUnixSocket(socket, endpoint => endpoint.Use(next => connection =>
            {
                seen.Add("unix");
                return next(connection);
            }));
        });

        Assert.Equal(EndPointServer.Ours, await EndPointServer.GetAsync(server.Addresses[0]));
        Assert.Equal(
            EndPointServer.Ours, await EndPointServer.GetAsync("http://localhost/", new UnixDomainSocketEndPoint(socket)));
        Assert.Equal(["default", "tcp", "default", "unix"], seen);
    }

    // As under systemd's socket activation; the owner's socket also shows what was set on it.
    [Fact]
    public async Task ListenHandle_WithOptionsOfItsOwn_ServesAndHasThem()
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owner.Listen();
        var number = owner.SafeHandle.DangerousGetHandle();
        await using var server = await EndPointServer.StartAsync(
            kestrel => kestrel.ListenHandle((ulong)number),
            null,
            ("Numa:Transport:KeepAlive", "true"),
            ("Numa:Transport:UserTimeout", "9s"),
            ("Numa:Transport:Endpoints:0:Address", $"fd:{number}"),
            ("Numa:Transport:Endpoints:0:UserTimeout", "3s"));

        Assert.Equal(EndPointServer.Ours, await EndPointServer.GetAsync($"http://{owner.LocalEndPoint}/"));
        Assert.Equal((1, 3000), (RawOptions.Read(owner, level: 1, name: 9), RawOptions.Read(owner, level: 6, name: 18)));
        Assert.DoesNotContain(
            server.Services.GetRequiredService<NumaFallbacks>().Current,
            static fallback => fallback.Feature.StartsWith("transport", StringComparison.Ordinal));
    }

    [Fact]
    public async Task ListenHandle_NotAListeningSocket_StartFailsWithTheReason()
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var number = owner.SafeHandle.DangerousGetHandle();
        var exception = await Assert.ThrowsAsync<SocketException>(
            () => EndPointServer.StartAsync(kestrel => kestrel.ListenHandle((ulong)number)));

        Assert.StartsWith($"File descriptor {number} cannot be served: ", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Listen_EndPointOfAnother_IsLeftToItsTransport()
    {
        var other = new RecordingTransport();
        await using var server = await EndPointServer.StartAsync(
            kestrel =>
            {
                kestrel.Listen(new NamedPipeEndPoint("numasharp"));
                kestrel.Listen(IPAddress.Loopback, 0);
            },
            services => services.AddSingleton<IConnectionListenerFactory>(other));

        Assert.Equal(new NamedPipeEndPoint("numasharp"), Assert.Single(other.Bound));
        Assert.Equal(EndPointServer.Ours, await EndPointServer.GetAsync(server.Addresses[^1]));
    }

    [Fact]
    public async Task TransportDisabled_EveryEndPoint_IsStock()
    {
        using var folder = new TemporaryFolder();
        var socket = folder.PathOf("server.sock");
        await using var server = await EndPointServer.StartAsync(null, null,
            ("Numa:Transport:Enabled", "false"),
            ("Kestrel:Endpoints:A:Url", "http://127.0.0.1:0"),
            ("Kestrel:Endpoints:B:Url", $"http://unix:{socket}"));

        Assert.Equal(EndPointServer.Stock, await EndPointServer.GetAsync(server.Addresses[0]));
        Assert.Equal(
            EndPointServer.Stock, await EndPointServer.GetAsync("http://localhost/", new UnixDomainSocketEndPoint(socket)));
    }

    [Fact]
    public async Task ConnectionFactory_OfTheContainer_Connects()
    {
        await using var server = await EndPointServer.StartAsync(static kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        var factory = server.Services.GetRequiredService<IConnectionFactory>();
        var address = new Uri(server.Addresses[0]);
        await using var connection = await factory.ConnectAsync(
            new IPEndPoint(IPAddress.Loopback, address.Port), TestContext.Current.CancellationToken);
        await connection.Transport.Output.WriteAsync(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n"u8.ToArray(), TestContext.Current.CancellationToken);
        var read = await connection.Transport.Input.ReadAtLeastAsync(15, TestContext.Current.CancellationToken);

        Assert.True(read.Buffer.FirstSpan.StartsWith("HTTP/1.1 200 OK"u8));
        connection.Transport.Input.AdvanceTo(read.Buffer.End);
    }

    private static byte[] CreateCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var now = TimeProvider.System.GetUtcNow();
        using var certificate = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        return certificate.Export(X509ContentType.Pkcs12);
    }

    /// <summary>Serves named pipes, as far as this test looks.</summary>
    private sealed class RecordingTransport : IConnectionListenerFactory, IConnectionListenerFactorySelector
    {
        public List<EndPoint> Bound { get; } = [];

        public bool CanBind(EndPoint endpoint) => endpoint is NamedPipeEndPoint;

        public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
        {
            Bound.Add(endpoint);
            return ValueTask.FromResult<IConnectionListener>(new SilentListener(endpoint));
        }
    }

    private sealed class SilentListener(EndPoint endPoint) : IConnectionListener
    {
        private readonly TaskCompletionSource<ConnectionContext?> _end = new();

        public EndPoint EndPoint => endPoint;

        public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default) => new(_end.Task);

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
        {
            _end.TrySetResult(null);
            return ValueTask.CompletedTask;
        }

        public ValueTask DisposeAsync() => UnbindAsync();
    }
}
