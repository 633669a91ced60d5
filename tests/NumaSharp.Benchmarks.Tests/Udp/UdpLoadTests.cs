using System.Net;
using System.Net.Sockets;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Udp;
using NumaSharp.Playground.Benchmarks.Udp.Load;

namespace NumaSharp.Benchmarks.Tests.Udp;

/// <summary>The load is one process for all runs of a scenario.</summary>
public sealed class UdpLoadTests : IDisposable
{
    private static readonly TimeSpan s_length = TimeSpan.FromMilliseconds(50);

    private readonly Socket _server = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    public UdpLoadTests()
    {
        _server.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _server.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
    }

    private int Port => ((IPEndPoint)_server.LocalEndPoint!).Port;

    public void Dispose() => _server.Dispose();

    [Fact]
    public async Task EndAsync_Echo_TakesLatenciesInEachRun()
    {
        using var load = UdpLoad.Start(Scenario(UdpLoadKind.Echo, size: 64, amount: 4), veth: null, cpu: null);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var echoing = EchoAsync(end.Token);
        for (var (measured, run) = (0, 0); measured < 2; run++)
        {
            // None on a machine that is busy elsewhere for so long.
            Assert.InRange(run, 0, 100);
            load.Begin(Port, lead: TimeSpan.Zero, s_length);
            if (await load.EndAsync(TestContext.Current.CancellationToken) is { } latency)
            {
                Assert.InRange(latency.P50, double.Epsilon, latency.P99);
                measured++;
            }
        }

        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => echoing);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1000)]
    public async Task EndAsync_Sender_HasSentWholeDatagrams(int perSecond)
    {
        var kind = perSecond == 0 ? UdpLoadKind.Flood : UdpLoadKind.Rate;
        using var load = UdpLoad.Start(Scenario(kind, size: 100, perSecond), veth: null, cpu: null);
        load.Begin(Port, lead: TimeSpan.Zero, s_length);

        Assert.Null(await load.EndAsync(TestContext.Current.CancellationToken));
        Assert.Equal(100, _server.Receive(new byte[2000], SocketFlags.None));
    }

    [Fact]
    public async Task EndAsync_NothingEchoes_SaysSo()
    {
        // 200 ms without a reply count as a loss.
        using var load = UdpLoad.Start(Scenario(UdpLoadKind.Echo, size: 64, amount: 4), veth: null, cpu: null);
        load.Begin(Port, lead: TimeSpan.Zero, TimeSpan.FromMilliseconds(500));

        var failure = await Assert.ThrowsAsync<BenchmarkException>(() => load.EndAsync(TestContext.Current.CancellationToken));

        Assert.Contains("lost", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task EndAsync_LoadHasEnded_SaysWhatItSaidLast()
    {
        // A connected socket receives from its peer only, and this one's peer is itself: to others the port is closed (the kernel
        // refuses, ICMP, and the client ends), and no other process can have it.
        _server.Connect(_server.LocalEndPoint!);
        using var load = UdpLoad.Start(Scenario(UdpLoadKind.Echo, size: 64, amount: 4), veth: null, cpu: null);
        load.Begin(Port, lead: TimeSpan.Zero, s_length);

        var failure = await Assert.ThrowsAsync<BenchmarkException>(() => load.EndAsync(TestContext.Current.CancellationToken));

        Assert.Contains("echo 64 x4", failure.Message, StringComparison.Ordinal);
        Assert.Contains("refused", failure.Message, StringComparison.OrdinalIgnoreCase);
    }

    private static UdpScenario Scenario(UdpLoadKind kind, int size, int amount) => new(kind, size, amount, Pairs: []);

    private async Task EchoAsync(CancellationToken cancellation)
    {
        var buffer = new byte[2000];
        while (true)
        {
            var received = await _server.ReceiveFromAsync(buffer, new IPEndPoint(IPAddress.Any, 0), cancellation);
            await _server.SendToAsync(buffer.AsMemory(0, received.ReceivedBytes), received.RemoteEndPoint, cancellation);
        }
    }
}
