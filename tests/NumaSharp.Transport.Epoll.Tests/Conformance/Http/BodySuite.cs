using System.Globalization;
using System.Net.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>Bodies of every size that meets an edge: of a page, of a block, of a pipe's limit.</summary>
public abstract class BodySuite(TransportFixture transport) : HttpSuite(transport)
{
    public static TheoryData<int, bool> Sizes()
    {
        var data = new TheoryData<int, bool>();
        foreach (var size in new[] { 0, 1, 4095, 4096, 4097, 16384, 65535, 65536, 65537, 1024 * 1024, (4 * 1024 * 1024) + 1 })
        {
            data.Add(size, false);
            data.Add(size, true);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task Download_AnySize_EveryByteInOrder(int size, bool chunked)
    {
        var path = Server.On(Replies.Download(size, chunked));
        using var client = TestHttpClient.Create();
        using var response = await client
            .GetAsync($"http://{Server.Http}{path}", HttpCompletionOption.ResponseHeadersRead, Token)
            .Within();
        response.EnsureSuccessStatusCode();
        var announcedChunked = response.Headers.TransferEncodingChunked ?? false;
        Assert.Equal(chunked && size > 0, announcedChunked); // Kestrel announces an empty body by its length.
        await using var body = await response.Content.ReadAsStreamAsync(Token);
        Assert.Equal(size, await Pattern.VerifyAsync(body));
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task Upload_AnySize_EveryByteInOrder(int size, bool chunked)
    {
        var path = Server.On(Replies.VerifyUpload);
        using var client = TestHttpClient.Create();
        using var content = new PatternContent(size, chunked);
        using var response = await client
            .PostAsync($"http://{Server.Http}{path}", content, Token)
            .Within();
        var length = await response.Content.ReadAsStringAsync(Token);
        Assert.Equal(size, int.Parse(length, CultureInfo.InvariantCulture));
    }

    [Theory]
    [InlineData(1, 1024)]
    [InlineData(1000, 256)]
    [InlineData(65536, 3)]
    [InlineData(256 * 1024, 8)]
    public async Task Echo_OneConnection_EveryRoundIsExact(int size, int rounds)
    {
        var path = Server.On(Replies.Echo);
        using var client = await ConnectAsync();
        var head = $"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n";
        for (var round = 0; round < rounds; round++)
        {
            var send = SendPatternAsync(client, head, size);
            var response = await client.ReceiveResponseAsync();
            await send;
            Assert.Equal(size, response.Body.Length);
            Pattern.Verify(response.Body, 0);
        }
    }

    [Fact]
    public async Task Upload_HandlerDoesNotRead_NextRequestIsServed()
    {
        var path = Server.On(static context => Replies.TextAsync(context, "ignored"));
        using var client = await ConnectAsync();
        var send = SendPatternAsync(client, $"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n", 300_000);
        Assert.Equal("ignored", (await client.ReceiveResponseAsync()).Text);
        await send;
        await ExpectPongAsync(client);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static async Task SendPatternAsync(Wire.WireClient client, string head, int size)
    {
        await client.SendAsync(head);
        for (var position = 0; position < size; position += Pattern.LongestPiece)
        {
            await client.SendAsync(Pattern.At(position, Math.Min(Pattern.LongestPiece, size - position)));
        }
    }
}
