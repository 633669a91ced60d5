using System.Net.Sockets;
using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>Accepting that is held up: by a logger, and by whatever else may take long on its thread.</summary>
public sealed class LateAcceptTests
{
    [Fact]
    public async Task Accept_ALoggerDoesNotReturn_TheLoopServesAndAcceptsAgain()
    {
        using var gate = new Gate();
        await using var server = new FaultServer(
            new EpollTransportOptions { ConfigureLoops = new LateThread().Configure }, onLog: gate.Pass);
        await server.StartAsync();
        using var fault = new Fault("accept4", Errno.EMFILE);
        var waiting = await server.ConnectAsync();
        await fault.Met.Within("accepting fails, and that is logged");

        // The pause ends, and the client of the backlog is served, while the logger still keeps its thread.
        await FaultServer.AskAsync(waiting);
        await server.AssertServesAsync();
        Assert.Equal(0, server.Loop.HandOvers);

        gate.Open();
        Assert.Contains(nameof(Errno.EMFILE), server.SingleLog(501), StringComparison.Ordinal);
    }

    // With EAGAIN the late thread itself finds nothing to do: only what the others have noted brings their clients.
    [Theory]
    [InlineData(0)]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.ECONNABORTED)]
    public async Task Accept_DoesNotReturn_OneThreadIsLateAndItsTurnIsMadeUpFor(int errno)
    {
        var late = new LateThread();
        using var gate = new Gate();
        await using var server = new FaultServer(new EpollTransportOptions { ConfigureLoops = late.Configure });
        await server.StartAsync();
        using var call = new Fault("accept4", errno, onCall: () =>
        {
            late.LoseLoop(NumaEventLoop.Current!);
            gate.Pass();
        });
        var first = await server.ConnectAsync();
        await call.Met.Within("the loop accepts");
        await Wait.UntilAsync(() => server.Loop.HandOvers == 1);

        // Each is an event of the listening socket, of which the loop's new thread can make nothing.
        var clients = new List<Socket> { first };
        for (var i = 0; i < 5; i++)
        {
            clients.Add(await server.ConnectAsync());
            await server.AskBystanderAsync();
        }

        Assert.Equal((1, 1), (server.Loop.HandOvers, server.Loop.AcceptedConnections));
        gate.Open();
        foreach (var client in clients)
        {
            await FaultServer.AskAsync(client);
        }

        await server.AssertServesAsync();
        Assert.Equal(1, server.Loop.HandOvers);
    }
}
