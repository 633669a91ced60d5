using System.Net;
using System.Net.Sockets;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>The accepting cannot die.</summary>
public sealed class AcceptTests
{
    private const int Paused = 501;
    private const int NotSetUp = 503;
    private const int Failed = 504;
    private const int Lost = 509;

    public static TheoryData<string, string> AcceptRows => ManPages.Rows("accept4");

    public static TheoryData<string, string> AdoptRows => ManPages.Rows("getsockname", "getrlimit", "epoll_ctl");

    public static TheoryData<string, string> ProbeRows => ManPages.Rows("socket");

    public static TheoryData<string> EndPoints => ["127.0.0.1:0", "[::1]:0", "@abstract", "path"];

    [Theory]
    [MemberData(nameof(AcceptRows))]
    public async Task Accept_Fails_ServesTheOnesThatFollow(string call, string error)
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        using var fault = new Fault(call, ManPages.NumberOf(error));
        var isLost = error is nameof(Errno.EBADF) or nameof(Errno.EINVAL) or nameof(Errno.ENOTSOCK);
        if (isLost)
        {
            await server.ConnectAndEndAsync();
            await AssertReopenedAsync(server);
        }
        else
        {
            await FaultServer.AskAsync(await server.ConnectAsync());
        }

        Assert.True(fault.WasMet);

        await server.AssertServesAsync();
        Assert.Equal(error is nameof(Errno.EAGAIN) or nameof(Errno.EINTR) ? 0 : 1, server.Loop.AcceptErrors);
        AssertLogged(server, error, isLost);
    }

    [Theory]
    [MemberData(nameof(AdoptRows))]
    public async Task SettingUp_Fails_ServesTheOnesThatFollow(string call, string error)
    {
        await using var server = new FaultServer();

        // Not to one address: a connection would not ask for its own.
        await server.StartAsync(new IPEndPoint(IPAddress.Any, 0));
        using var fault = new Fault(call, ManPages.NumberOf(error));
        var client = await server.ConnectAsync();
        if (call == "epoll_ctl")
        {
            await FaultServer.EndsAsync(client);
            await Wait.UntilAsync(() => server.Log.Entries.Count > 0);
            Assert.Contains(error, server.SingleLog(NotSetUp), StringComparison.Ordinal);
        }
        else
        {
            await FaultServer.AskAsync(client);
            Assert.Empty(server.Log.Entries);
        }

        Assert.True(fault.WasMet);
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(ProbeRows))]
    public async Task Pause_TheProbeForDescriptorsFails_Continues(string call, string error)
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        using var probe = new Fault(call, ManPages.NumberOf(error), times: 3);
        using var fault = new Fault("accept4", Errno.EMFILE);
        await FaultServer.AskAsync(await server.ConnectAsync());

        await server.AssertServesAsync();
        Assert.Single(server.Log.Entries);
    }

    // A stray close(2) by other code: the number is unused, and must not be closed again.
    [Theory]
    [MemberData(nameof(EndPoints))]
    public async Task ListeningSocket_ClosedByOtherCode_IsReopened(string name)
    {
        SkipWithoutIts(name);
        await using var server = new FaultServer();
        await server.StartAsync(EndPointOf(name));
        Assert.Equal(0, Native.Close(Fault.LastDescriptorOf("accept4")));

        // It is in no epoll set any more, so only a check finds it: that of a restart, or the one every few seconds.
        await server.Transport.RestartAsync().Within("the loop restarts");
        await AssertReopenedAsync(server);
        await server.AssertServesAsync();
        Assert.Contains($"{server.EndPoint}", server.SingleLog(Lost), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ListeningSocket_ClosedByOtherCodeAndNothingHappens_IsReopened()
    {
        var time = new ManualTime();
        await using var server = new FaultServer(new EpollTransportOptions { Time = time });
        await server.StartAsync();
        Assert.Equal(0, Native.Close(Fault.LastDescriptorOf("accept4")));
        await AssertReopenedAsync(server, time);

        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(EndPoints))]
    public async Task ListeningSocket_ShutDownByOtherCode_IsReopened(string name)
    {
        SkipWithoutIts(name);
        await using var server = new FaultServer();
        await server.StartAsync(EndPointOf(name));
        Assert.Equal(0, Native.Shutdown(Fault.LastDescriptorOf("accept4"), Native.SHUT_RDWR));
        await AssertReopenedAsync(server);

        await server.AssertServesAsync();
        Assert.Contains(nameof(Errno.EINVAL), server.SingleLog(Lost), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ListeningSocket_CannotBeReopenedForAWhile_IsSeenAndTriedAgain()
    {
        await using var server = new FaultServer();
        await server.StartAsync();
        using var bind = new Fault("bind", Errno.EADDRINUSE, times: int.MaxValue);
        using var fault = new Fault("accept4", Errno.EBADF);
        await server.ConnectAndEndAsync();
        await Wait.UntilAsync(() => server.Loop.BrokenListeners == 1);

        // The listener counts as broken before it is opened again for the first time.
        await Wait.UntilAsync(() => server.Log.Entries.Any(static it => it.Id == Failed));
        bind.Dispose();
        await Wait.UntilAsync(() => server.Loop is { BrokenListeners: 0, PausedListeners: 0 });

        await server.AssertServesAsync();
        Assert.Contains(nameof(Errno.EADDRINUSE), server.SingleLog(Failed), StringComparison.Ordinal);
    }

    private static EndPoint EndPointOf(string name) => name switch
    {
        "path" => new UnixDomainSocketEndPoint(UnixPath.New()),
        "@abstract" => new UnixDomainSocketEndPoint($"\0{Guid.NewGuid():N}"),
        _ => IPEndPoint.Parse(name),
    };

    private static void SkipWithoutIts(string name)
    {
        if (name[0] == '[')
        {
            IPv6.SkipUnlessThere();
        }
    }

    // By an event, or, with a time of its own, by the look of every few seconds.
    private static async Task AssertReopenedAsync(FaultServer server, ManualTime? time = null)
    {
        await Wait.UntilAsync(() =>
        {
            time?.Advance(TimeSpan.FromSeconds(5));
            return server.Log.Entries.Any(static it => it.Id == Lost);
        });
        await Wait.UntilAsync(() => server.Loop.BrokenListeners == 0);
    }

    private static void AssertLogged(FaultServer server, string error, bool isLost)
    {
        var id = error switch
        {
            nameof(Errno.EMFILE) or nameof(Errno.ENFILE) or nameof(Errno.ENOBUFS) or nameof(Errno.ENOMEM) => Paused,
            nameof(Errno.EFAULT) or nameof(Errno.ESOCKTNOSUPPORT) or nameof(Errno.EPROTONOSUPPORT) => Failed,
            _ => isLost ? Lost : 0,
        };
        if (id == 0)
        {
            Assert.Empty(server.Log.Entries);
            return;
        }

        Assert.Contains(error, server.SingleLog(id), StringComparison.Ordinal);
        Assert.Single(server.Log.Entries);
    }
}
