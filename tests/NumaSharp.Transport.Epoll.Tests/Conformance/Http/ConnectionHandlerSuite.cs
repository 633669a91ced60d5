using System.Buffers;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>Kestrel with a connection handler in the place of HTTP.</summary>
public abstract class ConnectionHandlerSuite(TransportFixture transport) : HttpSuite(transport)
{
    [Fact]
    public async Task Handler_Echoes_EveryByteInOrder()
    {
        Server.OnConnection(static connection => connection.Transport.Input.CopyToAsync(connection.Transport.Output));
        using var client = await ConnectRawAsync();
        for (var i = 0; i < 200; i++)
        {
            await client.SendAsync(Pattern.At(i, 997));
            Pattern.Verify(await client.ReceiveExactlyAsync(997), i);
        }

        client.EndSending();
        Assert.Empty(await client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Handler_WritesAndReturns_AllArrivesThenTheEnd()
    {
        Server.OnConnection(static connection =>
        {
            connection.Transport.Output.Write(Pattern.At(0, 50_000).Span);
            return Task.CompletedTask;
        });
        using var client = await ConnectRawAsync();
        var bytes = await client.ReceiveToEndAsync();
        Assert.Equal(50_000, bytes.Length);
        Pattern.Verify(bytes, 0);
    }

    [Fact]
    public async Task Handler_Throws_ConnectionEndsAndTheServerContinues()
    {
        Server.OnConnection(static _ => throw new InvalidOperationException("on purpose"));
        using (var client = await ConnectRawAsync())
        {
            Assert.Empty(await client.ReceiveToEndAsync());
        }

        await ExpectServedAsync();
        Assert.Contains("on purpose", Server.TakeErrors(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Handler_ReturnsAtOnce_ChurnIsServed()
    {
        Server.OnConnection(static _ => Task.CompletedTask);
        for (var i = 0; i < 200; i++)
        {
            using var client = await ConnectRawAsync();
            Assert.Empty(await client.ReceiveToEndAsync());
        }
    }

    [Fact]
    public async Task Handler_LeavesDataUnread_ConnectionEnds()
    {
        var received = new Signal();
        Server.OnConnection(async connection =>
        {
            var read = await connection.Transport.Input.ReadAsync();
            connection.Transport.Input.AdvanceTo(read.Buffer.Start);
            received.Set();
        });
        using var client = await ConnectRawAsync();
        await client.SendAsync(Pattern.At(0, 10_000));
        await received.Task.Within("the handler saw data");
        await Server.WhenConnectionsAsync(static count => count == 0).Within("the connection ends");
    }

    [Fact]
    public async Task FirstRead_BeforeAndAfterTheData_BothAreServed()
    {
        using var gate = new SemaphoreSlim(0);
        Server.OnConnection(async connection =>
        {
            await gate.WaitAsync().Within("the client has sent");
            var read = await connection.Transport.Input.ReadAtLeastAsync(3);
            connection.Transport.Output.Write(read.Buffer.ToArray());
            connection.Transport.Input.AdvanceTo(read.Buffer.End);
        });
        for (var i = 0; i < 50; i++)
        {
            using var client = await ConnectRawAsync();
            var early = i % 2 == 0;
            if (early)
            {
                gate.Release();
            }

            await client.SendAsync("abc");
            if (!early)
            {
                gate.Release();
            }

            Assert.Equal("abc"u8.ToArray(), await client.ReceiveToEndAsync());
        }
    }

    private Task<WireClient> ConnectRawAsync() => WireClient.ConnectAsync(Server.Raw);
}
