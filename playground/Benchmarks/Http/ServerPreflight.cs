using System.Net;
using System.Net.Http.Json;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text.Json;
using NumaSharp.Playground.Benchmarks.Http.Resident;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>
/// Asks a server once for everything that will be measured, so that no load generator measures a wrong answer, a wrong
/// protocol or the wrong transport.
/// </summary>
internal static class ServerPreflight
{
    private const int BodyBytes = 65536;

    // The server creates it for itself; it is not signed by an authority.
    private const string DevelopmentCertificate = "CN=localhost";
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);

    public static async Task CheckAsync(WebServer server, CancellationToken cancellation)
    {
        try
        {
            await CheckBodiesAsync(server.Ports.HttpUrl, HttpVersion.Version11, cancellation);
            await CheckBodiesAsync(server.Ports.H2cUrl, HttpVersion.Version20, cancellation);
            await CheckBodiesAsync(server.Ports.HttpsUrl, HttpVersion.Version11, cancellation);
            using var raw = HeldConnections.Open(server.Ports.Raw, 1, "ping"u8, "ping"u8, cancellation);
            using var tcp = CreateClient(server.Ports.HttpUrl, HttpVersion.Version11);
            await CheckTransportAsync(server, tcp, cancellation);
            using var unix = CreateClient(server.Ports.HttpUrl, HttpVersion.Version11, server.Ports.UnixSocket);
            await CheckTransportAsync(server, unix, cancellation);
        }
        catch (Exception failure) when (failure is HttpRequestException or AuthenticationException or JsonException
            || (failure is TaskCanceledException && !cancellation.IsCancellationRequested))
        {
            throw new BenchmarkException($"server '{server.Side.Name}' is not fit to be measured: {failure.Message}");
        }
    }

    private static async Task CheckBodiesAsync(string url, Version version, CancellationToken cancellation)
    {
        using var client = CreateClient(url, version);
        var pong = await client.GetStringAsync(Relative("/ping"), cancellation);
        Require(pong == "pong", url, $"/ping answers '{pong}'");

        var data = await client.GetByteArrayAsync(Relative(string.Create(null, $"/data/{BodyBytes}")), cancellation);
        Require(data.Length == BodyBytes, url, $"/data/{BodyBytes} answers {data.Length} bytes");

        var body = new byte[BodyBytes];
        new Random(1).NextBytes(body);
        using var content = new ByteArrayContent(body);
        using var answer = await client.PostAsync(Relative("/echo"), content, cancellation);
        var echo = await answer.Content.ReadAsByteArrayAsync(cancellation);
        Require(answer.IsSuccessStatusCode && echo.AsSpan().SequenceEqual(body), url, "/echo does not answer what it was sent");
    }

    // The loop shown by /where proves that two different transports are compared.
    private static async Task CheckTransportAsync(WebServer server, HttpClient client, CancellationToken cancellation)
    {
        var where = await client.GetFromJsonAsync(Relative("/where"), JsonAnswer.Default.JsonElement, cancellation);
        var loop = where.TryGetProperty("loop", out var value) ? value.GetRawText() : "missing";
        var onLoop = loop is not ("null" or "missing");
        Require(
            onLoop == server.Side.IsOurs,
            server.Ports.HttpUrl,
            $"/where says that loop is {loop}, so it is{(onLoop ? string.Empty : " not")} on our transport "
            + $"in spite of {string.Join(' ', server.Side.Switches)}");
    }

    private static HttpClient CreateClient(string url, Version version, string? unixSocket = null)
    {
        var handler = new SocketsHttpHandler
        {
            // wrk takes the highest version that the server has: proof that this is 1.3.
            SslOptions = new SslClientAuthenticationOptions
            {
                EnabledSslProtocols = SslProtocols.Tls13,
                RemoteCertificateValidationCallback =
                    static (_, certificate, _, _) => certificate?.Subject == DevelopmentCertificate,
            },
        };
        if (unixSocket is not null)
        {
            handler.ConnectCallback = async (_, cancellation) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                try
                {
                    await socket.ConnectAsync(new UnixDomainSocketEndPoint(unixSocket), cancellation);
                    return new NetworkStream(socket, ownsSocket: true);
                }
                catch
                {
                    socket.Dispose();
                    throw;
                }
            };
        }

        return new HttpClient(handler)
        {
            BaseAddress = new Uri(url),
            Timeout = s_limit,
            DefaultRequestVersion = version,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
    }

    private static Uri Relative(string path) => new(path, UriKind.Relative);

    private static void Require(bool condition, string url, string problem)
    {
        if (!condition)
        {
            throw new HttpRequestException($"{url}: {problem}");
        }
    }
}
