using System.Net;
using System.Net.Sockets;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http.Resident;

namespace NumaSharp.Benchmarks.Tests.Http.Resident;

public sealed class HeldConnectionsTests : IDisposable
{
    private readonly CancellationTokenSource _limit =
        CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);

    public HeldConnectionsTests() => _limit.CancelAfter(Wait.Limit);

    public void Dispose() => _limit.Dispose();

    [Fact]
    public async Task Open_ServerThatClosesOne_SaysSo()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        var token = _limit.Token;
        var closing = CloseAsync(listener, token);

        Assert.Throws<BenchmarkException>(() => HeldConnections.Open(port, 2, "ping"u8, "ping"u8, token));
        await closing;
    }

    [Fact]
    public async Task RequireOpen_ServerClosesOneLater_SaysSo()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var token = _limit.Token;
        using var held = HeldConnections.Open(((IPEndPoint)listener.LocalEndpoint).Port, 1, "ping"u8, [], token);
        held.Send("pong"u8);
        using (var accepted = await listener.AcceptSocketAsync(token))
        {
            var received = new byte[8];
            for (var count = 0; count < received.Length;)
            {
                var more = await accepted.ReceiveAsync(received.AsMemory(count), token);
                Assert.NotEqual(0, more);
                count += more;
            }

            Assert.Equal("pingpong"u8, received);
            held.RequireOpen();
        }

        Wait.Until(() => Record.Exception(held.RequireOpen) is BenchmarkException);
    }

    private static async Task CloseAsync(TcpListener listener, CancellationToken token)
    {
        using var accepted = await listener.AcceptSocketAsync(token);
        await accepted.ReceiveAsync(new byte[4], token);
    }
}
