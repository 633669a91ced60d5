using System.Globalization;
using System.Net;
using System.Net.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>Much of everything. Concrete classes belong to <see cref="HeavyTests"/>, so that only one runs at a time.</summary>
[Trait("tier", "deep")]
public abstract class HeavySuite(TransportFixture transport) : HttpSuite(transport)
{
    private const long Big = 100_000_000;
    private const int Many = 1000;
    private const int Churned = 2000;
    private const int AtATime = 32;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Upload_HundredMegabytes_EveryByteInOrder(bool chunked)
    {
        var path = Server.On(Replies.VerifyUpload);
        using var client = CreateClient();
        using var content = new PatternContent(Big, chunked);
        var posting = client.PostAsync(new Uri($"http://{Server.Http}{path}"), content, Token);
        await Task.WhenAny(content.Sent, posting);
        using var response = await posting.Within("the answer to what was sent");
        Assert.Equal(Big.ToString(CultureInfo.InvariantCulture), await response.Content.ReadAsStringAsync(Token));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Download_HundredMegabytes_EveryByteInOrder(bool chunked)
    {
        var path = Server.On(Replies.Download(Big, chunked));
        using var client = CreateClient();
        await using var body = await client.GetStreamAsync(new Uri($"http://{Server.Http}{path}"), Token).Within();
        Assert.Equal(Big, await Pattern.VerifyAsync(body));
    }

    [Fact]
    public async Task Echo_HundredMegabytesBothWaysAtOnce_EveryByteInOrder()
    {
        var path = Server.On(Replies.Echo);
        using var client = await ConnectAsync();
        await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {Big}\r\n\r\n");
        var send = Task.Run(async () =>
        {
            for (var position = 0L; position < Big; position += Pattern.LongestPiece)
            {
                await client.SendAsync(Pattern.At(position, (int)Math.Min(Pattern.LongestPiece, Big - position)));
            }
        });
        var head = "";
        while (!head.EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            head += (char)(await client.ReceiveExactlyAsync(1))[0];
        }

        for (var position = 0L; position < Big;)
        {
            var piece = await client.ReceiveExactlyAsync((int)Math.Min(Pattern.LongestPiece, Big - position));
            Pattern.Verify(piece, position);
            position += piece.Length;
        }

        await send.Within();
    }

    [Fact]
    public async Task Connections_ThousandAtOnce_AllServed()
    {
        var all = new Signal();
        var waiting = 0;
        var path = Server.On(async context =>
        {
            if (Interlocked.Increment(ref waiting) == Many)
            {
                all.Set();
            }

            await all.Task.Within("a thousand requests are under way at the same time");
            await Replies.TextAsync(context, "all here");
        });
        var clients = new List<WireClient>(Many);
        foreach (var batch in Enumerable.Range(0, Many).Chunk(AtATime))
        {
            var opened = await Task.WhenAll(batch.Select(_ => ConnectAsync()));
            clients.AddRange(opened);
            await Task.WhenAll(opened.Select(ExpectPongAsync));
        }

        await Task.WhenAll(clients.Select(client => client.GetAsync(path)));
        await Task.WhenAll(clients.Select(async client =>
        {
            Assert.Equal("all here", (await client.ReceiveResponseAsync()).Text);
            client.Dispose();
        }));
        await Server.WhenConnectionsAsync(static count => count == 0).Within("all connections end");
    }

    [Fact]
    public async Task Connections_ThousandConnectedInOneBurst_AllServed()
    {
        await Task.WhenAll(Enumerable.Range(0, Many).Select(async _ =>
        {
            using var client = await ConnectAsync();
            await ExpectPongAsync(client);
        }));
    }

    [Fact]
    public async Task Churn_EveryKindOfEnd_NoConnectionAndNoDescriptorIsLeft()
    {
        await ExpectServedAsync();
        var before = OpenDescriptors();
        await Parallel.ForEachAsync(
            Enumerable.Range(0, Churned),
            new ParallelOptions { MaxDegreeOfParallelism = AtATime, CancellationToken = Token },
            async (i, _) => await ComeAndGoAsync(i % 6));
        await ExpectServedAsync();
        await Server.WhenConnectionsAsync(static count => count == 0).Within("no connection is left");

        // The last ones may still be closing. One kind that leaks would leave a sixth of all.
        Assert.InRange(OpenDescriptors() - before, int.MinValue, Churned / 10);
    }

    [Fact]
    public async Task Connections_HundredBusyAtOnce_NoReplyIsMixedUp()
    {
        var path = Server.On(static context => Replies.TextAsync(context, context.Request.QueryString.Value!));
        await Task.WhenAll(Enumerable.Range(0, 100).Select(async i =>
        {
            using var client = await ConnectAsync();
            for (var round = 0; round < 100; round++)
            {
                await client.GetAsync($"{path}?{i}.{round}");
                Assert.Equal($"?{i}.{round}", (await client.ReceiveResponseAsync()).Text);
            }
        }));
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    // A limit for each piece on its way, none for all of it: how long that takes is the machine's business.
    private static HttpClient CreateClient() =>
        new(new SocketsHttpHandler { ConnectTimeout = Wait.Limit }) { Timeout = Timeout.InfiniteTimeSpan };

    private static int OpenDescriptors() =>
        OperatingSystem.IsLinux() ? Directory.GetFileSystemEntries("/proc/self/fd").Length : 0;

    private async Task ComeAndGoAsync(int kind)
    {
        using var client = await ConnectAsync();
        switch (kind)
        {
            case 0:
                await ExpectPongAsync(client);
                break;
            case 1:
                await client.GetAsync("/ping", "Connection: close\r\n");
                Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
                Assert.Empty(await client.ReceiveToEndAsync());
                break;
            case 2:
                break; // Nothing sent: a FIN at once.
            case 3:
                client.Reset();
                break;
            case 4:
                await client.GetAsync("/ping");
                client.Reset();
                break;
            default:
                await client.SendAsync("GET /pi");
                break;
        }
    }
}
