using System.Globalization;
using System.Text;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>How requests are laid out on the wire.</summary>
public abstract class RequestSuite(TransportFixture transport) : HttpSuite(transport)
{
    [Fact]
    public async Task KeepAlive_HundredRequests_OneConnection()
    {
        using var client = await ConnectAsync();
        for (var i = 0; i < 100; i++)
        {
            await ExpectPongAsync(client);
        }
    }

    [Theory]
    [InlineData(16)]
    [InlineData(1000)]
    public async Task Pipelining_ManyRequestsInOneWrite_RepliesInOrder(int count)
    {
        var path = Server.On(static context => Replies.TextAsync(context, context.Request.QueryString.Value!));
        var requests = string.Concat(Enumerable.Range(0, count).Select(i => $"GET {path}?{i} HTTP/1.1\r\nHost: x\r\n\r\n"));
        using var client = await ConnectAsync();
        var send = client.SendAsync(requests);
        for (var i = 0; i < count; i++)
        {
            Assert.Equal($"?{i}", (await client.ReceiveResponseAsync()).Text);
        }

        await send;
        await ExpectPongAsync(client);
    }

    [Fact]
    public async Task Pipelining_RequestsWithBodies_RepliesInOrder()
    {
        var path = Server.On(Replies.Echo);
        var requests = new StringBuilder();
        for (var i = 0; i < 50; i++)
        {
            requests.Append(CultureInfo.InvariantCulture, $"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{i:D4}");
        }

        using var client = await ConnectAsync();
        await client.SendAsync(requests.ToString());
        for (var i = 0; i < 50; i++)
        {
            Assert.Equal($"{i:D4}", (await client.ReceiveResponseAsync()).Text);
        }
    }

    [Fact]
    public async Task Request_ByteByByte_IsServed()
    {
        var path = Server.On(Replies.Echo);
        using var client = await ConnectAsync();
        foreach (var letter in $"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
        {
            await client.SendAsync(letter.ToString());
        }

        Assert.Equal("hello", (await client.ReceiveResponseAsync()).Text);
        await ExpectPongAsync(client);
    }

    [Fact]
    public async Task Request_SplitBeforeItsLastByte_IsServedOnceWhole()
    {
        using var client = await ConnectAsync();
        for (var i = 0; i < 20; i++)
        {
            await client.SendAsync("GET /ping HTTP/1.1\r\nHost: x\r\n\r");
            await client.SendAsync("\nGET /ping HTTP/1.1\r\nHost: x\r\n\r\n");
            Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
            Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
        }
    }

    [Fact]
    public async Task ConnectionClose_Requested_ServerEndsAfterTheResponse()
    {
        using var client = await ConnectAsync();
        await client.GetAsync("/ping", "Connection: close\r\n");
        var response = await client.ReceiveResponseAsync();
        Assert.Equal("pong", response.Text);
        Assert.Equal("close", response.Headers["Connection"]);
        Assert.Empty(await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Request_Malformed_400AndEnd()
    {
        using var client = await ConnectAsync();
        await client.SendAsync("BAD\r\n\r\n");
        Assert.Equal(400, (await client.ReceiveResponseAsync()).Status);
        Assert.Empty(await client.ReceiveToEndAsync());
        await ExpectServedAsync();
    }

    [Fact]
    public async Task Expect100Continue_HandlerReads_ContinueComesFirst()
    {
        var path = Server.On(Replies.Echo);
        using var client = await ConnectAsync();
        await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
        Assert.Equal(100, (await client.ReceiveResponseAsync()).Status);
        await client.SendAsync("ok");
        Assert.Equal("ok", (await client.ReceiveResponseAsync()).Text);
    }

    [Fact]
    public async Task Response_FlushedInParts_EachPartArrivesBeforeTheNextIsWritten()
    {
        var next = new SemaphoreSlim(0);
        var path = Server.On(async context =>
        {
            context.Response.ContentLength = 30;
            for (var i = 0; i < 30; i += 10)
            {
                await next.WaitAsync().Within("the client has what was flushed");
                await context.Response.BodyWriter.WriteAsync(Pattern.At(i, 10));
            }
        });
        using var client = await ConnectAsync();
        await client.GetAsync(path);
        next.Release();
        var head = Encoding.ASCII.GetByteCount("HTTP/1.1 200 OK\r\n");
        await client.ReceiveExactlyAsync(head);
        var text = "";
        while (!text.EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            text += Encoding.ASCII.GetString(await client.ReceiveExactlyAsync(1));
        }

        for (var i = 0; i < 30; i += 10)
        {
            Pattern.Verify(await client.ReceiveExactlyAsync(10), i);
            next.Release();
        }
    }
}
