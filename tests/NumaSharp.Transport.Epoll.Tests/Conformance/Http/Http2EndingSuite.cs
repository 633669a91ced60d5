using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>
/// How a connection of HTTP/2 ends, frame by frame up to the FIN or the RST. A client has read what was sent before the end
/// begins: whether it would still get that after a RST is chance.
/// </summary>
public abstract class Http2EndingSuite(TransportFixture transport) : HttpSuite(transport)
{
    // Of RFC 9113, section 7.
    private const int ProtocolError = 1;
    private const int InternalError = 2;

    // Without an error, after the only stream.
    private const string LastGoAway = "GOAWAY 1, error 0";

    private readonly Signal _started = new();
    private readonly Signal _finish = new();

    private string Reset => Transport.HasReset ? Http2Client.Reset : Http2Client.End;

    [Fact]
    public async Task Connection_HandlerAborts_Reset()
    {
        using var client = await AskForHalfAsync(static context =>
            context.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort());
        _finish.Set();
        Assert.Equal(["HEADERS 1", "DATA 1 half", Reset], await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Stream_HandlerAborts_ConnectionContinues()
    {
        using var client = await AskForHalfAsync(static context => context.Abort());
        _finish.Set();
        await client.ReceiveAsync(static frame => frame.Type == Http2FrameType.ResetStream);
        await client.GetAsync(3, "/ping");
        await client.ReceiveStreamAsync(3);
        Assert.Equal(
            ["HEADERS 1", "DATA 1 half", $"RST_STREAM 1, error {InternalError}", "HEADERS 3", "DATA 3 pong", "END 3"],
            client.Seen);
    }

    [Fact]
    public async Task IllegalFrame_NoStream_GoAwayAndEnd()
    {
        using var client = await PingAsync();
        await SendIllegalFrameAsync(client);
        Assert.Equal(
            ["HEADERS 1", "DATA 1 pong", "END 1", $"GOAWAY 1, error {ProtocolError}", Http2Client.End],
            await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task IllegalFrame_StreamUnderWay_GoAwayAndEnd()
    {
        using var client = await AskForHalfAsync(static _ => { });
        await SendIllegalFrameAsync(client);
        Assert.Equal(
            ["HEADERS 1", "DATA 1 half", $"GOAWAY 1, error {ProtocolError}", Http2Client.End],
            await client.ReceiveToEndAsync());
        _finish.Set();
    }

    [Fact]
    public async Task Connection_HandlerRequestsItsClose_StreamEndsFirst()
    {
        var path = Server.On(async context =>
        {
            context.Features.GetRequiredFeature<IConnectionLifetimeNotificationFeature>().RequestClose();
            await _finish.Task.Within("the client knows that the connection is to be closed");
            await Replies.TextAsync(context, "done");
        });
        using var client = await Http2Client.ConnectAsync(Server.H2c);
        await client.GetAsync(1, path);
        await client.ReceiveAsync(static frame => frame.Type == Http2FrameType.GoAway);
        _finish.Set();
        Assert.Equal(
            [$"GOAWAY {int.MaxValue}, error 0", "HEADERS 1", "DATA 1 done", "END 1", LastGoAway, Http2Client.End],
            WithGoAwayLast(await client.ReceiveToEndAsync()));
    }

    [Fact]
    public async Task Stop_StreamDoesNotEndInTime_GoAwayAndReset()
    {
        await using var server = await Transport.StartServerAsync();
        using var patience = new CancellationTokenSource();
        using var client = await AskAsync(server, async context =>
        {
            _started.Set();
            await context.RequestAborted.Within("the stop reaches RequestAborted");
        });
        var stop = server.StopAsync(patience.Token);
        await client.ReceiveAsync(static frame => frame.Type == Http2FrameType.GoAway);
        await patience.CancelAsync();
        Assert.Equal([$"GOAWAY {int.MaxValue}, error 0", Reset], await client.ReceiveToEndAsync());
        await stop.Within("the stop");
        Assert.Equal("", server.TakeErrors());
    }

    [Fact]
    public async Task Stop_NoStream_GoAwayAndEnd()
    {
        await using var server = await Transport.StartServerAsync();
        using var client = await PingAsync(server);
        var stop = server.StopAsync();
        Assert.Equal(
            ["HEADERS 1", "DATA 1 pong", "END 1", LastGoAway, Http2Client.End], await client.ReceiveToEndAsync());
        await stop.Within("the stop");
        Assert.Equal("", server.TakeErrors());
    }

    [Fact]
    public async Task ClientSaysGoAway_NoStream_GoAwayAndEnd()
    {
        using var client = await PingAsync();
        await client.GoAwayAsync();
        Assert.Equal(
            ["HEADERS 1", "DATA 1 pong", "END 1", LastGoAway, Http2Client.End], await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task ClientSaysGoAway_StreamUnderWay_StreamEndsFirst()
    {
        using var client = await AskAsync(Server, WaitAndReply);
        await client.GoAwayAsync();
        await client.PingAsync();
        _finish.Set();
        Assert.Equal(
            ["HEADERS 1", "DATA 1 done", "END 1", LastGoAway, Http2Client.End],
            WithGoAwayLast(await client.ReceiveToEndAsync()));
    }

    // Here Kestrel aborts the connection without an error. Whether it has said GOAWAY by then is chance.
    [Fact]
    public async Task ClientEndsSending_NoStream_End()
    {
        using var client = await PingAsync();
        client.EndSending();
        Assert.Equal(["HEADERS 1", "DATA 1 pong", "END 1", Http2Client.End], WithoutGoAway(await client.ReceiveToEndAsync()));
    }

    [Fact]
    public async Task ClientEndsSending_StreamUnderWay_Reset()
    {
        using var client = await AskForHalfAsync(static _ => { });
        client.EndSending();
        Assert.Equal(["HEADERS 1", "DATA 1 half", Reset], WithoutGoAway(await client.ReceiveToEndAsync()));
        _finish.Set();
    }

    private static IEnumerable<string> WithoutGoAway(IEnumerable<string> seen) =>
        seen.Where(static entry => !entry.StartsWith("GOAWAY", StringComparison.Ordinal));

    // Kestrel says it when it notices that the stream ends, which may be before the response is sent.
    private static IEnumerable<string> WithGoAwayLast(IReadOnlyList<string> seen) =>
        seen.SkipLast(1).OrderBy(static entry => entry == LastGoAway).Append(seen[^1]);

    // DATA belongs to a stream.
    private static Task<int> SendIllegalFrameAsync(Http2Client client) => client.SendAsync(Http2FrameType.Data, stream: 0);

    /// <summary>A client with a response, and nothing under way.</summary>
    private async Task<Http2Client> PingAsync(TestServer? server = null)
    {
        var client = await Http2Client.ConnectAsync((server ?? Server).H2c);
        await client.GetAsync(1, "/ping");
        await client.ReceiveStreamAsync(1);
        return client;
    }

    /// <summary>A client that has half a response; the handler does the rest when the test says so.</summary>
    private async Task<Http2Client> AskForHalfAsync(Action<HttpContext> then)
    {
        var client = await AskAsync(Server, async context =>
        {
            _started.Set();
            await context.Response.WriteAsync("half");
            await _finish.Task.Within("the client has read half the response");
            then(context);
        });
        await client.ReceiveAsync(static frame => frame.Type == Http2FrameType.Data);
        return client;
    }

    /// <summary>A client whose request a handler has begun with.</summary>
    private async Task<Http2Client> AskAsync(TestServer server, RequestDelegate handler)
    {
        var client = await Http2Client.ConnectAsync(server.H2c);
        await client.GetAsync(1, server.On(handler));
        await _started.Task.Within("the request's start");
        return client;
    }

    private async Task WaitAndReply(HttpContext context)
    {
        _started.Set();
        await _finish.Task.Within("the test lets the request finish");
        await Replies.TextAsync(context, "done");
    }
}
