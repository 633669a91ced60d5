using System.Globalization;
using System.Net;
using System.Net.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>Many streams on one connection: writes that come from many threads at once.</summary>
public abstract class Http2Suite(TransportFixture transport) : HttpSuite(transport)
{
    private const int Streams = 100;
    private const int Big = 8 * 1024 * 1024;

    [Fact]
    public async Task Streams_HundredAtOnce_AllServed()
    {
        var all = new Signal();
        var waiting = 0;
        var path = Server.On(async context =>
        {
            if (Interlocked.Increment(ref waiting) == Streams)
            {
                all.Set();
            }

            await all.Task.Within("a hundred requests are under way at the same time");
            await Replies.TextAsync(context, context.Request.QueryString.Value!);
        });
        using var client = CreateClient();
        var texts = await Task.WhenAll(Enumerable.Range(0, Streams).Select(i => GetStringAsync(client, $"{path}?{i}")));
        Assert.Equal(Enumerable.Range(0, Streams).Select(static i => $"?{i}"), texts);
    }

    [Fact]
    public async Task Streams_HundredAtATime_TwentyRoundsOfBodies()
    {
        var path = Server.On(Replies.Download(5000));
        using var client = CreateClient();
        for (var round = 0; round < 20; round++)
        {
            await Task.WhenAll(Enumerable.Range(0, Streams).Select(async _ =>
            {
                var body = await client.GetByteArrayAsync(new Uri($"http://{Server.H2c}{path}"), Token).Within();
                Assert.Equal(5000, body.Length);
                Pattern.Verify(body, 0);
            }));
        }
    }

    [Fact]
    public async Task Bodies_BigUploadAndBigDownloadAtOnce_EveryByteInOrder()
    {
        var up = Server.On(Replies.VerifyUpload);
        var down = Server.On(Replies.Download(Big));
        using var client = CreateClient();
        var uploads = Enumerable.Range(0, 2).Select(async _ =>
        {
            using var content = new PatternContent(Big, chunked: true);
            using var response = await client.PostAsync(new Uri($"http://{Server.H2c}{up}"), content, Token).Within();
            Assert.Equal(Big.ToString(CultureInfo.InvariantCulture), await response.Content.ReadAsStringAsync(Token));
        });
        var downloads = Enumerable.Range(0, 2).Select(async _ =>
        {
            await using var body = await client.GetStreamAsync(new Uri($"http://{Server.H2c}{down}"), Token).Within();
            Assert.Equal(Big, await Pattern.VerifyAsync(body));
        });
        await Task.WhenAll(uploads.Concat(downloads));
    }

    [Fact]
    public async Task Upload_HandlerDoesNotRead_OtherStreamsContinue()
    {
        const int Size = 4 * 1024 * 1024; // Beyond the window of the stream (768 KiB), so the client has to wait.
        var read = new Signal();
        var started = new Signal();
        var path = Server.On(async context =>
        {
            started.Set();
            await read.Task.Within("the other streams are served");
            await Replies.VerifyUpload(context);
        });
        using var client = CreateClient();
        using var content = new PatternContent(Size, chunked: true);
        var upload = client.PostAsync(new Uri($"http://{Server.H2c}{path}"), content, Token);
        await started.Task.Within("the upload's start");
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal("pong", await GetStringAsync(client, "/ping"));
        }

        Assert.False(upload.IsCompleted);
        read.Set();
        using var response = await upload.Within();
        Assert.Equal($"{Size}", await response.Content.ReadAsStringAsync(Token));
    }

    [Fact]
    public async Task Request_ClientCancels_OnlyItsStreamEnds()
    {
        var started = new Signal();
        var aborted = new Signal();
        var path = Server.On(async context =>
        {
            started.Set();
            await context.RequestAborted.Within("the client's cancellation reaches RequestAborted");
            aborted.Set();
        });
        using var client = CreateClient();
        using var cancellation = new CancellationTokenSource();
        var request = client.GetAsync(new Uri($"http://{Server.H2c}{path}"), cancellation.Token);
        await started.Task.Within("the request's start");
        await cancellation.CancelAsync();
        await aborted.Task.Within("the handler sees it");
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => request.Within());
        Assert.Equal("pong", await GetStringAsync(client, "/ping"));
    }

    [Fact]
    public async Task Stream_ServerAborts_OnlyItsStreamEnds()
    {
        var path = Server.On(static context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });
        using var client = CreateClient();
        await Assert.ThrowsAsync<HttpRequestException>(() => GetStringAsync(client, path));
        Assert.Equal("pong", await GetStringAsync(client, "/ping"));
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static HttpClient CreateClient()
    {
        var client = TestHttpClient.Create();
        client.DefaultRequestVersion = HttpVersion.Version20;
        client.DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        return client;
    }

    private Task<string> GetStringAsync(HttpClient client, string path) =>
        client.GetStringAsync(new Uri($"http://{Server.H2c}{path}"), Token).Within();
}
