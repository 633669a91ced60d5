using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>Connections that stop being HTTP.</summary>
public abstract class WebSocketSuite(TransportFixture transport) : HttpSuite(transport)
{
    private const int Piece = 16 * 1024;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(125)]
    [InlineData(126)]
    [InlineData(65535)]
    [InlineData(65536)]
    [InlineData(1024 * 1024)]
    public async Task Echo_AnySize_EveryByteInOrder(int size)
    {
        using var socket = await OpenAsync(Server.On(EchoAsync));
        var receive = ReceivePatternAsync(socket, size);
        await SendPatternAsync(socket, size, size);
        await receive;
        await CloseAsync(socket);
    }

    [Fact]
    public async Task Echo_ManySmallMessages_InOrder()
    {
        using var socket = await OpenAsync(Server.On(EchoAsync));
        var buffer = new byte[64];
        for (var i = 0; i < 1000; i++)
        {
            await socket.SendAsync(Encoding.UTF8.GetBytes($"{i}"), WebSocketMessageType.Text, true, Token);
            var received = await socket.ReceiveAsync(buffer.AsMemory(), Token).Within();
            Assert.Equal($"{i}", Encoding.UTF8.GetString(buffer, 0, received.Count));
        }

        await CloseAsync(socket);
    }

    [Fact]
    public async Task Echo_FragmentedMessage_OneMessage()
    {
        using var socket = await OpenAsync(Server.On(EchoAsync));
        var receive = ReceivePatternAsync(socket, 100_000);
        await SendPatternAsync(socket, 100_000, frame: 997);
        await receive;
        await CloseAsync(socket);
    }

    [Fact]
    public async Task Echo_SendingAndReceivingAtOnce_NothingLost()
    {
        const int Size = 4 * 1024 * 1024;
        using var socket = await OpenAsync(Server.On(EchoAsync));
        var receive = ReceivePatternAsync(socket, Size);
        await SendPatternAsync(socket, Size, Piece);
        await receive;
        await CloseAsync(socket);
    }

    [Fact]
    public async Task Echo_FiftySockets_EachItsOwn()
    {
        var path = Server.On(EchoAsync);
        await Task.WhenAll(Enumerable.Range(1, 50).Select(async i =>
        {
            using var socket = await OpenAsync(path);
            var receive = ReceivePatternAsync(socket, i * 1000);
            await SendPatternAsync(socket, i * 1000, Piece);
            await receive;
            await CloseAsync(socket);
        }));
    }

    [Fact]
    public async Task Socket_ServerCloses_ClientSeesWhy()
    {
        var path = Server.On(static async context =>
        {
            using var socket = await context.WebSockets.AcceptWebSocketAsync();
            await socket.CloseAsync(WebSocketCloseStatus.PolicyViolation, "no", context.RequestAborted);
        });
        using var socket = await OpenAsync(path);
        var received = await socket.ReceiveAsync(new byte[1].AsMemory(), Token).Within();
        Assert.Equal(WebSocketMessageType.Close, received.MessageType);
        Assert.Equal(WebSocketCloseStatus.PolicyViolation, socket.CloseStatus);
        await socket.CloseOutputAsync(WebSocketCloseStatus.PolicyViolation, null, Token).Within();
    }

    [Fact]
    public async Task Socket_ClientVanishes_ReceiveFails()
    {
        var failed = new Signal();
        var path = Server.On(async context =>
        {
            using var socket = await context.WebSockets.AcceptWebSocketAsync();
            await Assert.ThrowsAsync<WebSocketException>(async () => await socket.ReceiveAsync(new byte[1].AsMemory(), default));
            failed.Set();
        });
        using var socket = await OpenAsync(path);
        socket.Abort();
        await failed.Task.Within("the server's receive fails");
        await ExpectServedAsync();
    }

    [Fact]
    public async Task Upgrade_BytesRightBehindTheRequest_ReachTheNewProtocol()
    {
        var path = Server.On(static async context =>
        {
            await using var stream = await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
            var bytes = new byte[5];
            await stream.ReadExactlyAsync(bytes);
            await stream.WriteAsync(bytes);
        });
        using var client = await ConnectAsync();
        await client.SendAsync($"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello");
        Assert.Equal(StatusCodes.Status101SwitchingProtocols, (await client.ReceiveResponseAsync()).Status);
        Assert.Equal("hello", Encoding.ASCII.GetString(await client.ReceiveExactlyAsync(5)));
        Assert.Empty(await client.ReceiveToEndAsync());
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static async Task EchoAsync(HttpContext context)
    {
        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        var buffer = new byte[Piece];
        while (true)
        {
            var received = await socket.ReceiveAsync(buffer.AsMemory(), context.RequestAborted);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, context.RequestAborted);
                return;
            }

            await socket.SendAsync(
                buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, context.RequestAborted);
        }
    }

    private async Task<ClientWebSocket> OpenAsync(string path)
    {
        var socket = new ClientWebSocket();
        await socket.ConnectAsync(new Uri($"ws://{Server.Http}{path}"), Token).Within();
        return socket;
    }

    private static async Task SendPatternAsync(ClientWebSocket socket, int size, int frame)
    {
        var sent = 0;
        do
        {
            var count = Math.Min(Math.Min(frame, Pattern.LongestPiece), size - sent);
            var bytes = Pattern.At(sent, count);
            sent += count;
            await socket.SendAsync(bytes, WebSocketMessageType.Binary, sent == size, Token).Within();
        }
        while (sent < size);
    }

    private static async Task ReceivePatternAsync(ClientWebSocket socket, int size)
    {
        var buffer = new byte[Piece];
        var position = 0;
        while (true)
        {
            var received = await socket.ReceiveAsync(buffer.AsMemory(), Token).Within();
            Pattern.Verify(buffer.AsSpan(0, received.Count), position);
            position += received.Count;
            if (received.EndOfMessage)
            {
                Assert.Equal(size, position);
                return;
            }
        }
    }

    private static async Task CloseAsync(ClientWebSocket socket)
    {
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, Token).Within();
        Assert.Equal(WebSocketCloseStatus.NormalClosure, socket.CloseStatus);
    }
}
