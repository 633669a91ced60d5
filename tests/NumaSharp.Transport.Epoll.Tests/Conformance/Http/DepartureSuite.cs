using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>One side leaves: the other learns of it, and the server continues.</summary>
public abstract class DepartureSuite(TransportFixture transport) : HttpSuite(transport)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_LeavesWhileTheHandlerWaits_RequestAborted(bool reset)
    {
        var started = new Signal();
        var aborted = new Signal();
        var path = Server.On(async context =>
        {
            started.Set();
            await context.RequestAborted.Within("the client's leaving reaches RequestAborted");
            aborted.Set();
        });
        var client = await ConnectAsync();
        await client.GetAsync(path);
        await started.Task.Within("the request's start");
        Leave(client, reset);
        await aborted.Task.Within("the handler sees it");
        await ExpectServedAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_LeavesInTheMiddleOfTheBody_ReadFails(bool reset)
    {
        var failure = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        var started = new Signal();
        var path = Server.On(async context =>
        {
            try
            {
                var first = await context.Request.BodyReader.ReadAsync();
                context.Request.BodyReader.AdvanceTo(first.Buffer.End);
                started.Set();
                await context.Request.Body.CopyToAsync(Stream.Null);
                failure.SetException(new InvalidOperationException("The body of 100 bytes ended after 5."));
            }
            catch (IOException exception)
            {
                failure.SetResult(exception);
                context.Abort(); // Or Kestrel tries to drain the body, and logs that it cannot.
            }
        });
        var client = await ConnectAsync();
        await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhello");
        await started.Task.Within("the first bytes");
        Leave(client, reset);
        var exception = await failure.Task.Within("the read of the body fails");
        Assert.True(
            reset && Transport.HasReset ? exception is ConnectionResetException : exception is BadHttpRequestException,
            exception.GetType().FullName);
        await ExpectServedAsync();
    }

    /// <summary>Kestrel takes a FIN for a departure (ConnectionClosed fires): what was not yet sent is dropped.</summary>
    [Fact]
    public async Task Client_EndsSendingWhileTheHandlerWaits_RequestAbortedAndEndWithoutResponse()
    {
        var started = new Signal();
        var path = Server.On(async context =>
        {
            started.Set();
            await context.RequestAborted.Within("the client's FIN reaches RequestAborted");
            await Replies.TextAsync(context, "too late");
        });
        using var client = await ConnectAsync();
        await client.GetAsync(path);
        await started.Task.Within("the request's start");
        client.EndSending();
        Assert.Empty(await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Client_EndsSendingRightAfterTheRequest_WholeResponseOrNone()
    {
        for (var i = 0; i < 200; i++)
        {
            using var client = await ConnectAsync();
            await client.GetAsync("/ping");
            client.EndSending();
            var response = Encoding.ASCII.GetString(await client.ReceiveToEndAsync());
            Assert.True(response.Length == 0 || response.EndsWith("\r\n\r\npong", StringComparison.Ordinal), response);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_LeavesWithoutARequest_ConnectionEnds(bool reset)
    {
        await Server.WhenConnectionsAsync(static count => count == 0).Within("earlier connections end");
        var client = await ConnectAsync();
        await Server.WhenConnectionsAsync(static count => count == 1).Within("the server sees the connection");
        Leave(client, reset);
        await Server.WhenConnectionsAsync(static count => count == 0).Within("the connection ends");
        await ExpectServedAsync();
    }

    [Theory]
    [InlineData("GET /ping HT")]
    [InlineData("POST /ping HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab")]
    public async Task Client_ResetsInTheMiddleOfARequest_ConnectionEnds(string beginning)
    {
        await Server.WhenConnectionsAsync(static count => count == 0).Within("earlier connections end");
        var client = await ConnectAsync();
        await client.SendAsync(beginning);
        await Server.WhenConnectionsAsync(static count => count == 1).Within("the server sees the connection");
        Leave(client, reset: true);
        await Server.WhenConnectionsAsync(static count => count == 0).Within("the connection ends");
        await ExpectServedAsync();
    }

    [Fact]
    public async Task Client_ResetsDuringADownload_WritesEndAndTheTokenFires()
    {
        var ended = new Signal();
        var path = Server.On(async context =>
        {
            context.Response.ContentLength = 1L << 40;
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.BodyWriter.WriteAsync(Pattern.At(0, Pattern.LongestPiece));
            }

            ended.Set();
        });
        var client = await ConnectAsync();
        await client.GetAsync(path);
        await client.ReceiveExactlyAsync(100_000);
        Leave(client, reset: true);
        await ended.Task.Within("the handler stops");
        await ExpectServedAsync();
    }

    [Fact]
    public async Task Server_Aborts_ClientGetsRst()
    {
        var path = Server.On(static context =>
        {
            context.Abort();
            return Task.CompletedTask;
        });
        using var client = await ConnectAsync();
        await client.GetAsync(path);
        await client.ExpectResetAsync();
        await ExpectServedAsync();
    }

    [Fact]
    public async Task Server_AbortsInTheMiddleOfABody_ClientGetsRstAndNoEnd()
    {
        var received = new Signal();
        var path = Server.On(async context =>
        {
            context.Response.ContentLength = 100;
            await context.Response.BodyWriter.WriteAsync(Pattern.At(0, 10));
            await received.Task.Within("the client has the first bytes");
            context.Abort();
        });
        using var client = await ConnectAsync();
        await client.GetAsync(path);
        await client.ReceiveExactlyAsync(20);
        received.Set();
        await client.ExpectResetAsync();
    }

    [Fact]
    public async Task Server_AbortsWhileTheClientSends_UploadFails()
    {
        var path = Server.On(static async context =>
        {
            var read = await context.Request.BodyReader.ReadAsync();
            context.Request.BodyReader.AdvanceTo(read.Buffer.End);
            context.Abort();
        });
        using var client = await ConnectAsync();
        await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {1L << 40}\r\n\r\n");
        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            while (true)
            {
                await client.SendAsync(Pattern.At(0, Pattern.LongestPiece));
            }
        });
        await ExpectServedAsync();
    }

    private static void Leave(WireClient client, bool reset)
    {
        if (reset)
        {
            client.Reset();
        }
        else
        {
            client.Dispose();
        }
    }
}
