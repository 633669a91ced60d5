using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>
/// Handlers that block their thread. Not for a transport that promises nothing here, as one that runs all of a handler on the
/// only thread of its loop.
/// </summary>
public abstract class BlockingSuite(TransportFixture transport) : HttpSuite(transport)
{
    private const int Blockers = 3;

    [Fact]
    public async Task Handlers_Block_OthersAreServed()
    {
        using var release = new ManualResetEvent(initialState: false);
        using var entered = new CountdownEvent(Blockers);
        var path = Server.On(context =>
        {
            entered.Signal();
            Wait.For(release);
            return Replies.TextAsync(context, "released");
        });
        var clients = await Task.WhenAll(Enumerable.Range(0, Blockers).Select(_ => ConnectAsync()));
        await Task.WhenAll(clients.Select(client => client.GetAsync(path)));
        await Task.Run(() => Wait.For(entered));
        for (var i = 0; i < 20; i++)
        {
            await ExpectServedAsync();
        }

        release.Set();
        foreach (var client in clients)
        {
            Assert.Equal("released", (await client.ReceiveResponseAsync()).Text);
            await ExpectPongAsync(client);
            client.Dispose();
        }
    }

    [Fact]
    public async Task Handlers_WaitForEachOther_BothEnd()
    {
        using var meeting = new Barrier(2);
        var path = Server.On(context =>
        {
            Assert.True(meeting.SignalAndWait(Wait.Limit));
            return Replies.TextAsync(context, "met");
        });
        for (var i = 0; i < 5; i++)
        {
            using var first = await ConnectAsync();
            using var second = await ConnectAsync();
            await Task.WhenAll(first.GetAsync(path), second.GetAsync(path));
            Assert.Equal("met", (await first.ReceiveResponseAsync()).Text);
            Assert.Equal("met", (await second.ReceiveResponseAsync()).Text);
        }
    }

    [Fact]
    public async Task Handler_FlushesThenBlocks_FlushedBytesArriveMeanwhile()
    {
        using var release = new ManualResetEvent(initialState: false);
        var path = Server.On(async context =>
        {
            context.Response.ContentLength = 8;
            await context.Response.BodyWriter.WriteAsync("flus"u8.ToArray());
            Wait.For(release, "the flushed bytes arrive");
            await context.Response.BodyWriter.WriteAsync("hed!"u8.ToArray());
        });
        using var client = await ConnectAsync();
        await client.GetAsync(path);
        var text = "";
        while (!text.EndsWith("flus", StringComparison.Ordinal))
        {
            text += (char)(await client.ReceiveExactlyAsync(1))[0];
        }

        release.Set();
        Assert.Equal("hed!"u8.ToArray(), await client.ReceiveExactlyAsync(4));
    }

    [Fact]
    public async Task ConnectionClosedCallback_Blocks_OthersAreServed()
    {
        using var release = new ManualResetEvent(initialState: false);
        var started = new Signal();
        var entered = new Signal();
        var path = Server.On(async context =>
        {
            var aborted = new Signal();
            await using var registration = context.RequestAborted.Register(() =>
            {
                entered.Set();
                Wait.For(release);
                aborted.Set();
            });
            started.Set();
            await aborted.Task.Within("the callback ends");
        });
        var client = await ConnectAsync();
        await client.GetAsync(path);
        await started.Task.Within("the request's start");
        client.Reset();
        await entered.Task.Within("RequestAborted fires");
        for (var i = 0; i < 20; i++)
        {
            await ExpectServedAsync();
        }

        release.Set();
    }
}
