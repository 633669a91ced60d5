using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Connections that the transport makes.</summary>
public sealed class ConnectTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly BoundPort _refusing = new();
    private readonly NumaTaskScheduler? _scheduler;
    private readonly EpollTransportFactory? _factory;

    public ConnectTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        _factory = new EpollTransportFactory(_scheduler);
    }

    public static TheoryData<string> Unreachable => ["refused", "no file", "file without a listener", "broadcast", "port 0"];

    public void Dispose()
    {
        _factory?.Dispose();
        _scheduler?.Dispose();
        _refusing.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task ConnectAsync_CancelledAfterTheKernelHasConnected_IsAConnection()
    {
        var time = new ManualTime();
        using var cancelling = new CancellationTokenSource();
        using var factory = new EpollTransportFactory(_scheduler!, OptionsOf(time));
        using var listening = Listen(AddressFamily.Unix);
        await ConnectAndEndAsync(factory, listening);
        time.OnNextReading = cancelling.Cancel;
        await using var connection = await factory.ConnectAsync(listening.LocalEndPoint!, cancelling.Token).Within("the connect");
        Assert.True(cancelling.IsCancellationRequested);
        using var accepted = await listening.AcceptAsync().Within("the accept");
        await accepted.SendAsync(new byte[] { 1 });

        Assert.Equal(1, (await connection.Transport.Input.ReadAsync().Within("the byte")).Buffer.Length);
    }

    [Theory]
    [InlineData(AddressFamily.Unix)]
    [InlineData(AddressFamily.InterNetwork)]
    public async Task Dispose_WhileAConnectionIsMade_EndsIt(AddressFamily family)
    {
        var time = new ManualTime();
        using var loops = new NumaEventLoopGroup(_scheduler!.Plan);
        using var factory = new EpollTransportFactory(_scheduler!, OptionsOf(time), loops: loops);
        using var listening = Listen(family);
        await ConnectAndEndAsync(factory, listening);
        var stop = new Thread(factory.Dispose);
        time.OnNextReading = () =>
        {
            stop.Start();
            Wait.Until(() => !factory.IsRunning);
        };
        await using var connection = await factory.ConnectAsync(listening.LocalEndPoint!).Within("the connect");

        await Assert.ThrowsAsync<ConnectionAbortedException>(
            async () => await connection.Transport.Input.ReadAsync().Within("the end"));
        Assert.Null(time.OnNextReading);
        Wait.For(stop);
        Assert.All(loops.Loops, static loop => Assert.Equal(0, loop.RegistrationCount));
    }

    [Theory]
    [InlineData(AddressFamily.InterNetwork)]
    [InlineData(AddressFamily.InterNetworkV6)]
    [InlineData(AddressFamily.Unix)]
    public async Task ConnectAsync_ForeignListener_EchoesAndEnds(AddressFamily family)
    {
        IPv6.SkipUnlessThere(family);
        using var listening = Listen(family);
        await using var connection = await _factory!.ConnectAsync(listening.LocalEndPoint!).Within("the connect");
        using var accepted = await listening.AcceptAsync().Within("the accept");
        Assert.Equal(accepted.LocalEndPoint, connection.RemoteEndPoint);
        Assert.Equal(accepted.RemoteEndPoint?.ToString(), connection.LocalEndPoint?.ToString());
        Assert.NotNull(connection.Features.Get<INumaConnectionFeature>());

        for (var i = 0; i < 20; i++)
        {
            await connection.Transport.Output.WriteAsync(Pattern.At(i, 5000));
            await EchoAsync(accepted, 5000);
            var read = await connection.Transport.Input.ReadAtLeastAsync(5000).Within("the echo");
            Pattern.Verify(read.Buffer, i);
            connection.Transport.Input.AdvanceTo(read.Buffer.End);
        }

        accepted.Shutdown(SocketShutdown.Both);
        Assert.True((await connection.Transport.Input.ReadAsync().Within("the end")).IsCompleted);
        await connection.ConnectionClosed.Within();
    }

    [Fact]
    public async Task ConnectAsync_OurOwnListener_BothSidesCountOnce()
    {
        await using var listener = await _factory!.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        await using (var client = await _factory.ConnectAsync(listener.EndPoint).Within("the connect"))
        {
            await using var server = await listener.AcceptAsync().Within("the accept");
            Assert.Equal(2, _factory.GetStatistics().Sum(static loop => loop.ActiveConnections));
            Assert.Equal(1, _factory.GetStatistics().Sum(static loop => loop.AcceptedConnections));
        }

        Assert.Equal(0, _factory.GetStatistics().Sum(static loop => loop.ActiveConnections));
    }

    [Fact]
    public async Task ConnectAsync_NothingElseRuns_ConnectsAgainAfterTheLastHasEnded()
    {
        using var listening = Listen(AddressFamily.InterNetwork);
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await _factory!.ConnectAsync(listening.LocalEndPoint!).Within("the connect");
            using var accepted = await listening.AcceptAsync().Within("the accept");
        }
    }

    [Theory]
    [MemberData(nameof(Unreachable))]
    public async Task ConnectAsync_NoListener_FailsWithTheCodeOfABclSocket(string why)
    {
        var endPoint = EndPointThat(why);
        using var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        var expected = await Assert.ThrowsAnyAsync<SocketException>(async () => await socket.ConnectAsync(endPoint).Within());
        var actual = await Assert.ThrowsAsync<SocketException>(() => _factory!.ConnectAsync(endPoint).Within());

        Assert.Equal(expected.SocketErrorCode, actual.SocketErrorCode);
        Assert.Contains($"connect to {endPoint} failed: E", actual.Message, StringComparison.Ordinal);
        Assert.Equal(0, _factory!.GetStatistics().Sum(static loop => loop.ActiveConnections));
    }

    [Fact]
    public async Task ConnectAsync_TokenCanceledWhileItWaits_Throws()
    {
        using var listening = Listen(AddressFamily.InterNetwork, backlog: 0);
        using var cancellation = new CancellationTokenSource();
        var attempts = Start(listening.LocalEndPoint!, cancellation.Token);
        await attempts[0].Within("the first, which the queue has room for");
        await cancellation.CancelAsync();

        Assert.True(await CountAsync<OperationCanceledException>(attempts) > 0);
    }

    [Fact]
    public async Task Dispose_AttemptsWait_TheyEnd()
    {
        using var listening = Listen(AddressFamily.InterNetwork, backlog: 0);
        var attempts = Start(listening.LocalEndPoint!, CancellationToken.None);
        await attempts[0].Within("the first, which the queue has room for");
        _factory!.Dispose();

        Assert.True(await CountAsync<ObjectDisposedException>(attempts) > 0);
    }

    [Fact]
    public async Task ConnectAsync_TokenCanceledBefore_Throws() =>
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await _factory!.ConnectAsync(new IPEndPoint(IPAddress.Loopback, 1), new CancellationToken(true)));

    [Fact]
    public async Task ConnectAsync_EndPointThatItDoesNotServe_NotSupported()
    {
        foreach (var endPoint in (EndPoint[])
            [new DnsEndPoint("localhost", 80), new FileHandleEndPoint(1, FileHandleType.Auto), new NamedPipeEndPoint("a")])
        {
            await Assert.ThrowsAsync<NotSupportedException>(async () => await _factory!.ConnectAsync(endPoint));
        }
    }

    [Fact]
    public async Task ConnectAsync_Options_AreOnTheSocket()
    {
        using var factory = new EpollTransportFactory(_scheduler!, new EpollTransportOptions { SendBufferSize = 8192 });
        using var listening = Listen(AddressFamily.InterNetwork);
        await using var connection = await factory.ConnectAsync(listening.LocalEndPoint!).Within("the connect");

        // Nothing is read: what the kernel takes is a small part of what it takes without the limit (4 MiB and more).
        var flush = connection.Transport.Output.WriteAsync(new byte[32 << 20]);
        Assert.False(flush.IsCompleted);
        Assert.InRange(factory.GetStatistics().Sum(static loop => loop.BytesSent), 1, 3 << 20);
        connection.Abort();
    }

    private static Socket Listen(AddressFamily family, int backlog = 100)
    {
        var socket = new Socket(family, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(family switch
        {
            AddressFamily.Unix => new UnixDomainSocketEndPoint(UnixPath.New()),
            AddressFamily.InterNetworkV6 => new IPEndPoint(IPAddress.IPv6Loopback, 0),
            _ => new IPEndPoint(IPAddress.Loopback, 0),
        });
        socket.Listen(backlog);
        return socket;
    }

    // Reports of hand-overs would read the clock, too, at any time; inline there are none.
    private static EpollTransportOptions OptionsOf(ManualTime time) =>
        new() { Time = time, Dispatch = EpollDispatchMode.Inline };

    // The first connection has the transport read the clock when it begins. What reads it next is the next connection, when it
    // has a socket and is about to be watched: its log asks for its level at most once a second.
    private static async Task ConnectAndEndAsync(EpollTransportFactory factory, Socket listening)
    {
        await using var connection = await factory.ConnectAsync(listening.LocalEndPoint!).Within("the first connect");
        using var accepted = await listening.AcceptAsync().Within("the first accept");
    }

    private EndPoint EndPointThat(string why)
    {
        switch (why)
        {
            case "no file":
                return new UnixDomainSocketEndPoint(UnixPath.New());
            case "file without a listener":
                var file = _folder.PathOf("file");
                File.WriteAllBytes(file, []);
                return new UnixDomainSocketEndPoint(file);
            case "broadcast":
                return new IPEndPoint(IPAddress.Broadcast, 80);
            case "port 0":
                return new IPEndPoint(IPAddress.Loopback, 0);
            default:
                return _refusing.EndPoint;
        }
    }

    private static async Task EchoAsync(Socket socket, int count)
    {
        var buffer = new byte[count];
        for (var received = 0; received < count;)
        {
            received += await socket.ReceiveAsync(buffer.AsMemory(received)).Within("the bytes");
        }

        await socket.SendAsync(buffer).Within("the echo");
    }

    private static async Task<int> CountAsync<TException>(IEnumerable<Task<ConnectionContext>> attempts)
        where TException : Exception
    {
        var count = 0;
        foreach (var attempt in attempts)
        {
            try
            {
                await (await attempt.Within("an attempt")).DisposeAsync();
            }
            catch (TException)
            {
                count++;
            }
        }

        return count;
    }

    // More than a queue without length takes: the kernel answers no further one until there is room.
    private Task<ConnectionContext>[] Start(EndPoint endPoint, CancellationToken token) =>
        [.. Enumerable.Range(0, 8).Select(_ => _factory!.ConnectAsync(endPoint, token).AsTask())];
}
