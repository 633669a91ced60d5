using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>One listening socket for several loops: connections go to the loop that has the fewest.</summary>
public sealed class SpreadTests : IAsyncDisposable
{
    private const int Loops = 4;

    private readonly NumaTaskScheduler? _scheduler;
    private readonly EpollTransportFactory? _factory;
    private readonly List<(WireClient Client, ConnectionContext Server)> _connections = [];

    public SpreadTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { Enabled = false, LoopsPerNode = Loops });
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan });
        _factory = new EpollTransportFactory(_scheduler);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (client, server) in _connections)
        {
            client.Dispose();
            await server.DisposeAsync();
        }

        _factory?.Dispose();
        _scheduler?.Dispose();
    }

    [Fact]
    public async Task BindAsync_UnixSocket_LoopsGetTheSameNumber()
    {
        await using var listener = await _factory!.BindAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        await OpenAsync(listener, 3 * Loops);

        Assert.Equal([3, 3, 3, 3], ActiveByLoop());
        Assert.Equal([3, 3, 3, 3], _factory.GetStatistics().Select(static loop => loop.AcceptedConnections));
        Assert.All(_connections.CountBy(LoopOf), static loop => Assert.Equal(3, loop.Value));
    }

    [Fact]
    public async Task BindAsync_UnixSocketAndOneLoopHasFewer_ThatLoopGetsTheNext()
    {
        await using var listener = await _factory!.BindAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        await OpenAsync(listener, 2 * Loops);
        foreach (var connection in _connections.Where(static connection => LoopOf(connection) == 2).ToArray())
        {
            _connections.Remove(connection);
            connection.Client.Dispose();
            await connection.Server.DisposeAsync();
        }

        Assert.Equal([2, 2, 0, 2], ActiveByLoop());
        await OpenAsync(listener, 2);
        Assert.Equal([2, 2], _connections.TakeLast(2).Select(LoopOf));
    }

    [Fact]
    public async Task BindAsync_FileHandle_LoopsGetTheSameNumber()
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owner.Listen();
        var handle = new FileHandleEndPoint((ulong)owner.SafeHandle.DangerousGetHandle(), FileHandleType.Tcp);
        await using var listener = await _factory!.BindAsync(handle);
        await OpenAsync(listener, 2 * Loops);

        Assert.Equal([2, 2, 2, 2], ActiveByLoop());
    }

    [Theory]
    [InlineData(EpollSteering.Cpu)]
    [InlineData(EpollSteering.LeastLoaded)]
    [InlineData(EpollSteering.Kernel)]
    public async Task BindAsync_UnixSocketWithAnySteering_LoopsGetTheSameNumberWithoutAFallback(EpollSteering steering)
    {
        var fallbacks = new NumaFallbacks();
        using var factory = new EpollTransportFactory(
            _scheduler!, new EpollTransportOptions { Steering = steering, Fallbacks = fallbacks });
        await using var listener = await factory.BindAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        await OpenAsync(listener, 2 * Loops);

        Assert.All(factory.GetStatistics(), static loop => Assert.Equal(2, loop.ActiveConnections));
        Assert.Equal(2 * (Loops - 1), factory.GetStatistics().Sum(static loop => loop.PlacedConnections));
        Assert.DoesNotContain(fallbacks.Current, static it => it.Feature == "transport.steering");
    }

    [Fact]
    public async Task UnixSocket_EveryLoop_ServesItsConnections()
    {
        await using var listener = await _factory!.BindAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        await OpenAsync(listener, 2 * Loops);
        foreach (var (client, server) in _connections)
        {
            await client.SendAsync("ping");
            var read = await server.Transport.Input.ReadAtLeastAsync(4).Within("the bytes");
            server.Transport.Input.AdvanceTo(read.Buffer.End);
        }

        Assert.Equal([8, 8, 8, 8], _factory.GetStatistics().Select(static loop => loop.BytesReceived));
    }

    private static int LoopOf((WireClient Client, ConnectionContext Server) connection) =>
        connection.Server.Features.Get<INumaConnectionFeature>()!.LoopIndex;

    private IEnumerable<long> ActiveByLoop() => _factory!.GetStatistics().Select(static loop => loop.ActiveConnections);

    private async Task OpenAsync(IConnectionListener listener, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var client = await WireClient.ConnectAsync(listener.EndPoint);
            _connections.Add((client, (await listener.AcceptAsync().Within("the accept"))!));
        }
    }
}
