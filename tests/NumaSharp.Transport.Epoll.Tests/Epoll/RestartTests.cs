using System.Net;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Loops that are restarted all the time while they serve.</summary>
public sealed class RestartTests
{
    public RestartTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Restart_UnderLoad_LosesNoRequestAndNoConnection(EpollDispatchMode dispatch)
    {
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var transport = new EpollTransportFactory(scheduler, new EpollTransportOptions { Dispatch = dispatch });
        await using var server = await TestServer.StartAsync(
            host => host.UseNumaSharpTransport(transport), new TestServerOptions());
        using var stop = new CancellationTokenSource();
        var restarts = RestartAsync(transport, stop.Token);

        await PingClients.RequestAsync(server.Http);
        await stop.CancelAsync();
        var rounds = await restarts.Within("the last restart");

        Assert.True(rounds > 0);
        Assert.Empty(server.TakeErrors());
        Assert.All(transport.GetStatistics(), loop =>
        {
            Assert.True(loop.IsServing);
            Assert.Equal(rounds, loop.Restarts);
        });
        await PingClients.RequestAsync(server.Http, 0);
    }

    [Fact]
    public async Task Restart_NoLoopRuns_DoesNothing()
    {
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var transport = new EpollTransportFactory(scheduler);
        await transport.RestartAsync().Within("nothing");

        Assert.All(transport.GetStatistics(), static loop => Assert.Equal(0, loop.Restarts));
    }

    [Fact]
    public async Task Restart_LoopThatIsNotThere_Throws()
    {
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var transport = new EpollTransportFactory(scheduler);
        var count = transport.GetStatistics().Count;

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => transport.RestartAsync(count));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => transport.RestartAsync(-1));
    }

    [Fact]
    public async Task Restart_ReaderThatWaits_ReceivesWhatComesAfterwards()
    {
        await using var pair = await Connections.RawPair.ConnectAsync(EpollDispatchMode.Adaptive);
        var read = pair.Input.ReadAsync();
        await pair.Server.Shard.Loop.RestartAsync().Within("the restart");
        await pair.Client.SendAsync(new byte[3]);

        Assert.Equal(3, (await read.Within("the bytes")).Buffer.Length);
    }

    // Whole rounds, so that every loop has had as many.
    private static async Task<int> RestartAsync(EpollTransportFactory transport, CancellationToken stop)
    {
        var rounds = 0;
        do
        {
            await transport.RestartAsync(CancellationToken.None);
            rounds++;
        }
        while (!stop.IsCancellationRequested);
        return rounds;
    }
}
