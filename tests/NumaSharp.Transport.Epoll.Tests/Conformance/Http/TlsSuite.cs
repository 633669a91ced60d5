using System.Globalization;
using System.Net;
using System.Net.Http;
using System.Net.Security;
using System.Security.Authentication;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>TLS in user space above the transport: it replaces the pipe, and sends in records.</summary>
public abstract class TlsSuite(TransportFixture transport) : HttpSuite(transport)
{
    private const int Big = 3 * 1024 * 1024;

    public static TheoryData<SslProtocols, string> Versions() => new()
    {
        { SslProtocols.Tls12, "1.1" },
        { SslProtocols.Tls12, "2.0" },
        { SslProtocols.Tls13, "1.1" },
        { SslProtocols.Tls13, "2.0" },
    };

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Requests_EveryVersion_Served(SslProtocols protocol, string version)
    {
        var seen = Server.On(static context => Replies.TextAsync(context, context.Request.Protocol));
        using var client = CreateClient(protocol, version);
        var expected = version == "2.0" ? "HTTP/2" : "HTTP/1.1";
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(expected, await client.GetStringAsync(new Uri($"https://{Server.Tls}{seen}"), Token).Within());
        }
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Bodies_BigBothWays_EveryByteInOrder(SslProtocols protocol, string version)
    {
        var up = Server.On(Replies.VerifyUpload);
        var down = Server.On(Replies.Download(Big));
        using var client = CreateClient(protocol, version);
        using var content = new PatternContent(Big, chunked: false);
        using var response = await client.PostAsync(new Uri($"https://{Server.Tls}{up}"), content, Token).Within();
        Assert.Equal(Big.ToString(CultureInfo.InvariantCulture), await response.Content.ReadAsStringAsync(Token));
        await using var body = await client.GetStreamAsync(new Uri($"https://{Server.Tls}{down}"), Token).Within();
        Assert.Equal(Big, await Pattern.VerifyAsync(body));
    }

    [Fact]
    public async Task Connections_ThirtyHandshakesAtOnce_AllServed()
    {
        await Task.WhenAll(Enumerable.Range(0, 30).Select(async _ =>
        {
            using var client = CreateClient(SslProtocols.None, "1.1");
            Assert.Equal("pong", await client.GetStringAsync(new Uri($"https://{Server.Tls}/ping"), Token).Within());
        }));
    }

    [Fact]
    public async Task Handshake_GarbageOrNothing_ServerContinues()
    {
        using (var garbage = await WireClient.ConnectAsync(Server.Tls))
        {
            await garbage.SendAsync("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n");
            await EndOrResetAsync(garbage);
        }

        using (var nothing = await WireClient.ConnectAsync(Server.Tls))
        {
            nothing.EndSending();
            await EndOrResetAsync(nothing);
        }

        using var client = CreateClient(SslProtocols.None, "1.1");
        Assert.Equal("pong", await client.GetStringAsync(new Uri($"https://{Server.Tls}/ping"), Token).Within());
    }

    [Fact]
    public async Task Client_LeavesWhileTheHandlerWaits_RequestAborted()
    {
        var started = new Signal();
        var aborted = new Signal();
        var path = Server.On(async context =>
        {
            started.Set();
            await context.RequestAborted.Within("the client's leaving reaches RequestAborted");
            aborted.Set();
        });
        using var client = await WireClient.ConnectAsync(Server.Tls);
        await using var tls = new SslStream(new System.Net.Sockets.NetworkStream(client.Socket), leaveInnerStreamOpen: false);
        await tls.AuthenticateAsClientAsync(AnyCertificate(SslProtocols.None), Token).Within();
        await tls.WriteAsync(System.Text.Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"), Token);
        await started.Task.Within("the request's start");
        client.Reset();
        await aborted.Task.Within("the handler sees it");
        await ExpectServedAsync();
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static async Task EndOrResetAsync(WireClient client)
    {
        try
        {
            await client.ReceiveToEndAsync();
        }
        catch (System.Net.Sockets.SocketException exception)
        {
            Assert.Equal(System.Net.Sockets.SocketError.ConnectionReset, exception.SocketErrorCode);
        }
    }

    private static SslClientAuthenticationOptions AnyCertificate(SslProtocols protocol) => new()
    {
        TargetHost = "localhost",
        EnabledSslProtocols = protocol,
        RemoteCertificateValidationCallback = static (_, certificate, _, _) =>
            certificate?.GetCertHashString() == TestCertificate.Instance.GetCertHashString(),
    };

    private static HttpClient CreateClient(SslProtocols protocol, string version)
    {
        var client = TestHttpClient.Create(handler: new SocketsHttpHandler { SslOptions = AnyCertificate(protocol) });
        client.DefaultRequestVersion = Version.Parse(version);
        client.DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        return client;
    }
}
