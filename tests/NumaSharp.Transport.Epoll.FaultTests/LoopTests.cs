using System.Net;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>epoll fails on a loop, which continues with its thread and its connections.</summary>
public sealed class LoopTests
{
    private const int LoopFailed = 510;

    public static TheoryData<string, string> WaitRows => ManPages.Rows("epoll_wait");

    public static TheoryData<string, string> DoorbellRows => ManPages.Rows("write");

    public static TheoryData<string, string> StartRows => ManPages.Rows("epoll_create1", "eventfd", "epoll_ctl");

    public static TheoryData<string, string> RestartRows => ManPages.Rows("epoll_create1");

    public static TheoryData<string, string> BusyPollRows => ManPages.Rows("ioctl");

    [Theory]
    [MemberData(nameof(BusyPollRows))]
    public async Task Start_BusyPollIsRefused_IsAFallback(string call, string error)
    {
        var server = new FaultServer(new EpollTransportOptions { EpollBusyPoll = TimeSpan.FromMicroseconds(50) });
        await using (server)
        {
            using (var fault = new Fault(call, ManPages.NumberOf(error)))
            {
                await server.StartAsync();
                Assert.True(fault.WasMet);
            }

            AssertBusyPollRefused(server, error);
            await server.AssertServesAsync();
        }

        // It ends with the loop.
        Wait.Until(() => server.Fallbacks.Current.Count == 0);
    }

    // The second of two instances: what the first was given is no reason to think that the next one will be.
    [Theory]
    [MemberData(nameof(BusyPollRows))]
    public async Task Restart_BusyPollIsRefused_IsAFallback(string call, string error)
    {
        await using var server = new FaultServer(new EpollTransportOptions { EpollPreferBusyPoll = true });
        using var fault = new Fault(call, ManPages.NumberOf(error), skip: 1);
        await server.StartAsync();
        Assert.False(fault.WasMet);
        await server.Transport.RestartAsync().Within("the restart");

        AssertBusyPollRefused(server, error);
        await server.AssertServesAsync();
        Assert.Equal(1, server.Loop.Restarts);
    }

    [Fact]
    public async Task Start_NoBusyPollIsWanted_NothingIsAsked()
    {
        await using var server = new FaultServer();
        using var fault = new Fault("ioctl", Errno.ENOTTY);
        await server.StartAsync();
        await server.Transport.RestartAsync().Within("the restart");

        Assert.False(fault.WasMet);
    }

    [Theory]
    [MemberData(nameof(WaitRows))]
    public async Task Wait_Fails_TheLoopIsRebuiltWithItsConnections(string call, string error)
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        var client = await server.ConnectAsync();
        using var fault = new Fault(call, ManPages.NumberOf(error));
        await FaultServer.AskAsync(client);
        await fault.Met.Within($"{fault} is met");
        await FaultServer.AskAsync(client);

        await server.AssertServesAsync();
        Assert.Equal(error == nameof(Errno.EINTR) ? 0 : 1, server.Loop.Restarts);
        if (error == nameof(Errno.EINTR))
        {
            Assert.Empty(server.Log.Entries);
        }
        else
        {
            Assert.Contains($"epoll_wait failed: {error}", server.SingleLog(LoopFailed), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Wait_FailsForAWhileAndNothingCanBeRebuilt_IsSeenAndTriedAgain()
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        var client = await server.ConnectAsync();
        using var create = new Fault("epoll_create1", Errno.EMFILE, times: int.MaxValue);
        using var fault = new Fault("epoll_wait", Errno.EBADF, times: int.MaxValue);
        await client.SendAsync(new byte[] { 1 });
        await Wait.UntilAsync(() => !server.Loop.IsServing);
        create.Dispose();
        fault.Dispose();
        await Wait.UntilAsync(() => server.Loop.IsServing);
        await FaultServer.ReceiveAsync(client, FaultServer.AnswerLength);

        await server.AssertServesAsync();
        server.SingleLog(LoopFailed);
    }

    [Fact]
    public async Task Epoll_ClosedByOtherCode_TheLoopIsRebuiltWithItsConnections()
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        var client = await server.ConnectAsync();
        await FaultServer.AskAsync(client);
        Assert.Equal(0, Native.Close(Fault.LastDescriptorOf("epoll_wait")));
        await FaultServer.AskAsync(client);
        await FaultServer.AskAsync(client);

        await server.AssertServesAsync();
        Assert.Equal(1, server.Loop.Restarts);
        Assert.Contains(nameof(Errno.EBADF), server.SingleLog(LoopFailed), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(DoorbellRows))]
    public async Task Doorbell_CannotBeRung_TheLoopWakesAllTheSame(string call, string error)
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        using var fault = new Fault(call, ManPages.NumberOf(error));

        // Only a loop that sleeps is woken.
        await RestartUntilAsync(server, () => fault.WasMet);
        await server.Transport.RestartAsync().Within("the loop wakes up by its new doorbell");
        await server.AssertServesAsync();
        if (error == nameof(Errno.EINTR))
        {
            Assert.Empty(server.Log.Entries);
        }
        else
        {
            Assert.Contains($"write failed: {error}", server.SingleLog(LoopFailed), StringComparison.Ordinal);
        }
    }

    // The next descriptor that is made gets its number.
    [Fact]
    public async Task Doorbell_ClosedByOtherCode_TheLoopWakesAllTheSame()
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        using (var fault = new Fault("write", Errno.EINTR))
        {
            await RestartUntilAsync(server, () => fault.WasMet);
        }

        Assert.Equal(0, Native.Close(Fault.LastDescriptorOf("write")));

        // Asleep it is woken through the number that is unused, or another file's by now; awake it is rebuilt before it sleeps.
        for (var i = 0; i < 20; i++)
        {
            await server.Transport.RestartAsync().Within("the loop wakes up by its new doorbell");
        }

        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(StartRows))]
    public async Task Start_TheLoopCannotBeMade_BindFailsAndTheNextOneWorks(string call, string error)
    {
        await using var server = new FaultServer();
        using (new Fault(call, ManPages.NumberOf(error)))
        {
            var failure = await Assert.ThrowsAsync<NumaException>(
                () => server.BindAsync(new IPEndPoint(IPAddress.Loopback, 0)));
            Assert.Equal(error, failure.Result?.ErrorName);
        }

        await server.StartAsync();
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(RestartRows))]
    public async Task Restart_NothingCanBeMade_SaysSoAndContinues(string call, string error)
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        using var fault = new Fault(call, ManPages.NumberOf(error));
        var failure = await Assert.ThrowsAsync<NumaException>(() => server.Transport.RestartAsync().Within("the answer"));

        Assert.Equal(error, failure.Result?.ErrorName);
        await server.AssertServesAsync();
        Assert.Equal(0, server.Loop.Restarts);
    }

    [Fact]
    public async Task Restart_AConnectionCannotBeWatchedAgain_OnlyThatOneEnds()
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        var clients = new[] { await server.ConnectAsync(), await server.ConnectAsync() };
        foreach (var client in clients)
        {
            await FaultServer.AskAsync(client);
        }

        // In the order of the registrations: the doorbell, the listening socket, the one that looks on, the first client.
        using var fault = new Fault("epoll_ctl", Errno.ENOSPC, argument: 1, skip: 3);
        await server.Transport.RestartAsync().Within("the restart");
        await FaultServer.EndsAsync(clients[0]);
        Assert.Contains(nameof(Errno.ENOSPC), (await server.NextEndAsync())!.Message, StringComparison.Ordinal);

        await FaultServer.AskAsync(clients[1]);
        await server.AssertServesAsync();
    }

    private static Task RestartUntilAsync(FaultServer server, Func<bool> condition) => Wait.UntilAsync(async () =>
    {
        await server.Transport.RestartAsync().Within("the loop wakes up");
        return condition();
    });

    private static void AssertBusyPollRefused(FaultServer server, string error)
    {
        var fallback = Assert.Single(server.Fallbacks.Current, static it => it.Feature == "loop.busypoll");
        Assert.Contains($"was refused ({error}: ", fallback.Message, StringComparison.Ordinal);
    }
}
