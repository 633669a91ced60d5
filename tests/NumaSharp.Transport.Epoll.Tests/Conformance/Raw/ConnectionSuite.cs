using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>A connection as an object: its properties, how it ends.</summary>
public abstract class ConnectionSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task Features_OfEveryConnection_ArePresent()
    {
        await using var connection = await OpenAsync();
        var features = connection.Server.Features;
        Assert.Equal(connection.Server.ConnectionId, Require<IConnectionIdFeature>(features).ConnectionId);
        Assert.Equal(connection.Server.ConnectionClosed, Require<IConnectionLifetimeFeature>(features).ConnectionClosed);
        Assert.Same(connection.Server.Transport, Require<IConnectionTransportFeature>(features).Transport);
        Assert.Same(connection.Server.Items, Require<IConnectionItemsFeature>(features).Items);
        using var memory = Require<IMemoryPoolFeature>(features).MemoryPool.Rent();
        Assert.NotEqual(0, memory.Memory.Length);
    }

    [Fact]
    public async Task EndPoints_OfTheConnection_AreTheClients()
    {
        await using var connection = await OpenAsync();
        Assert.Equal(connection.Client.Socket.RemoteEndPoint, connection.Server.LocalEndPoint);
        Assert.Equal(connection.Client.Socket.LocalEndPoint, connection.Server.RemoteEndPoint);
    }

    [Fact]
    public async Task EndPoints_AfterTheEnd_AreStillKnown()
    {
        await using var connection = await OpenAsync();
        var remote = connection.Client.Socket.LocalEndPoint;
        connection.Client.Reset();
        await connection.Server.ConnectionClosed.Within("the reset is seen");
        Assert.Equal(remote, connection.Server.RemoteEndPoint);
    }

    [Fact]
    public async Task ConnectionId_OfTwoConnections_Differs()
    {
        await using var first = await OpenAsync();
        await using var second = await OpenAsync();
        Assert.NotEqual("", first.Server.ConnectionId);
        Assert.NotEqual(first.Server.ConnectionId, second.Server.ConnectionId);
    }

    [Fact]
    public async Task Items_SetByTheApplication_AreKept()
    {
        await using var connection = await OpenAsync();
        connection.Server.Items["key"] = "value";
        Assert.Equal("value", connection.Server.Items["key"]);
        connection.Server.ConnectionId = "mine";
        Assert.Equal("mine", connection.Server.ConnectionId);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ConnectionClosed_PeerLeavesAndNoReadIsPending_Fires(bool reset)
    {
        await using var connection = await OpenAsync();
        Assert.False(connection.Server.ConnectionClosed.IsCancellationRequested);
        if (reset)
        {
            connection.Client.Reset();
        }
        else
        {
            connection.Client.EndSending();
        }

        await connection.Server.ConnectionClosed.Within("ConnectionClosed without a read");
    }

    [Fact]
    public async Task ConnectionClosed_DataUnreadBeforeTheFin_FiresAndTheDataIsThere()
    {
        await using var connection = await OpenAsync();
        await connection.ClientSendPatternAsync(10_000);
        connection.Client.EndSending();
        await connection.Server.ConnectionClosed.Within("ConnectionClosed with data unread");
        await connection.ReadPatternAsync(10_000);
    }

    [Fact]
    public async Task ConnectionClosed_CallbackBlocks_OtherConnectionsContinue()
    {
        using var release = new ManualResetEvent(initialState: false);
        var entered = new Signal();
        await using var blocked = await OpenAsync();
        await using var other = await OpenAsync();
        await using var registration = blocked.Server.ConnectionClosed.Register(() =>
        {
            entered.Set();
            Wait.For(release);
        });
        blocked.Client.Reset();
        await entered.Task.Within("ConnectionClosed fires");
        for (var i = 0; i < 10; i++)
        {
            await EchoAsync(other);
        }

        release.Set();
    }

    [Fact]
    public async Task HalfClose_PeerEndedSending_OutputStillArrives()
    {
        await using var connection = await OpenAsync();
        connection.Client.EndSending();
        var read = await connection.Input.ReadAsync().Within("the end");
        Assert.True(read.IsCompleted);
        connection.Input.AdvanceTo(read.Buffer.End);
        await connection.Server.ConnectionClosed.Within("ConnectionClosed");
        var flush = connection.WritePattern(500_000);
        await connection.ClientReceivePatternAsync(500_000);
        await flush.Within();
        await connection.Output.CompleteAsync();
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
    }

    /// <summary>A server cannot half-close: the end of its output is the end of the connection.</summary>
    [Fact]
    public async Task Output_Completed_WholeConnectionEnds()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        await connection.Output.CompleteAsync();
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
        await connection.Server.ConnectionClosed.Within("ConnectionClosed after the output's end");
        await Assert.ThrowsAsync<ConnectionAbortedException>(() => pending.Within());
    }

    [Fact]
    public async Task Output_CompletedWithAnException_RstAndThePendingReadThrowsIt()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        await connection.Output.CompleteAsync(new InvalidOperationException("because"));
        await connection.Client.ExpectResetAsync();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => pending.Within());
        Assert.Equal("because", error.Message);
    }

    [Fact]
    public async Task Abort_WithAReason_RstAndThePendingReadThrowsIt()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        connection.Server.Abort(new ConnectionAbortedException("because"));
        await connection.Client.ExpectResetAsync();
        var error = await Assert.ThrowsAsync<ConnectionAbortedException>(() => pending.Within());
        Assert.Equal("because", error.Message);
        await connection.Server.ConnectionClosed.Within("ConnectionClosed after an abort");
    }

    // Kestrel does so when a client of HTTP/2 has ended and no stream is under way.
    [Fact]
    public async Task Abort_WithoutAReason_FinAndThePendingReadThrows()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        connection.Server.Abort(null!);
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
        await Assert.ThrowsAsync<ConnectionAbortedException>(() => pending.Within());
        await connection.Server.ConnectionClosed.Within("ConnectionClosed after an abort");
    }

    [Fact]
    public async Task Abort_DataUnsent_RstAndTheFlushEnds()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        Assert.False(flush.IsCompleted);
        connection.Server.Abort();
        Assert.True((await flush.Within("the waiting flush ends")).IsCompleted);
        await connection.Client.ExpectResetAsync();
    }

    [Fact]
    public async Task Abort_AgainAndAfterTheEnd_DoesNothing()
    {
        await using var connection = await OpenAsync();
        connection.Server.Abort();
        connection.Server.Abort(new ConnectionAbortedException("again"));
        await connection.Server.ConnectionClosed.Within("ConnectionClosed after an abort");
        connection.Server.Abort();
    }

    [Fact]
    public async Task DisposeAsync_ClientStillThere_Fin()
    {
        await using var connection = await OpenAsync();
        await connection.Server.DisposeAsync().Within("the disposal");
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task DisposeAsync_DataUnsent_WaitsUntilTheClientHasIt()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        var disposal = connection.Server.DisposeAsync().AsTask();
        Assert.False(disposal.IsCompleted);
        await connection.ClientReceivePatternAsync(MoreThanKernelTakes);
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
        await disposal.Within("the disposal");
        await flush.Within();
    }

    [Fact]
    public async Task DisposeAsync_AgainAndAbortAfterwards_DoNothing()
    {
        await using var connection = await OpenAsync();
        await connection.Server.DisposeAsync().Within("the disposal");
        connection.Server.Abort();
        await connection.Server.DisposeAsync().Within("the second disposal");
        Assert.True(connection.Server.ConnectionClosed.IsCancellationRequested);
    }

    [Fact]
    public async Task DisposeAsync_AfterAnAbort_Ends()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        connection.Server.Abort();
        await connection.Server.DisposeAsync().Within("the disposal");
        await flush.Within();
    }

    [Fact]
    public async Task Connections_OneListener_DoNotMix()
    {
        await using var listener = await Transport.CreateFactory(TransportLimits.Default)
            .BindAsync(new IPEndPoint(IPAddress.Loopback, 0)).Within("the bind");
        await Task.WhenAll(Enumerable.Range(1, 20).Select(async i =>
        {
            using var client = await WireClient.ConnectAsync(listener.EndPoint);
            await client.SendAsync(new byte[] { (byte)i });
            Assert.Equal([(byte)i], await client.ReceiveExactlyAsync(1));
        }).Append(ServeAsync(listener, 20)));
    }

    private static T Require<T>(IFeatureCollection features)
        where T : class
    {
        var feature = features.Get<T>();
        Assert.NotNull(feature);
        return feature;
    }

    private static async Task ServeAsync(IConnectionListener listener, int count)
    {
        var served = new List<Task>();
        for (var i = 0; i < count; i++)
        {
            var connection = await listener.AcceptAsync().Within("the accept");
            served.Add(Task.Run(async () =>
            {
                await connection!.Transport.Input.CopyToAsync(connection.Transport.Output).Within("the echo");
                await connection.DisposeAsync();
            }));
        }

        await Task.WhenAll(served);
    }

    private static async Task EchoAsync(RawConnection connection)
    {
        await connection.Client.SendAsync(Pattern.At(0, 100));
        await connection.ReadPatternAsync(100);
        await connection.WritePattern(100).Within();
        await connection.ClientReceivePatternAsync(100);
    }
}
