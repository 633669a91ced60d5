using System.Net.Sockets;
using System.Reflection;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>What is logged of a connection at Debug, as Kestrel's socket transport does.</summary>
public sealed class ConnectionLogTests : IDisposable
{
    private readonly RecordingLog _log = new(from: LogLevel.Debug);

    public void Dispose() => _log.Dispose();

    [Fact]
    public void Events_OfTheSocketTransport_AreTheSame()
    {
        var sockets = typeof(SocketTransportFactory).Assembly.GetType(
            "Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets.Internal.SocketsLog", throwOnError: true)!;

        // 500 and above are of the whole transport.
        Assert.Equal(EventsOf(sockets), EventsOf(typeof(EpollTransportLog)).Where(static item => item.Id < 500));
    }

    [Fact]
    public async Task Abort_WithAReason_IsLoggedWithIt()
    {
        await using var pair = await ConnectAsync();
        pair.Server.Abort(new ConnectionAbortedException("because"));

        Assert.Equal([$"Connection id \"{pair.Server.ConnectionId}\" sending RST because: \"because\""], _log.TextsOf(8));
        Assert.Empty(_log.TextsOf(7));
    }

    [Fact]
    public async Task DisposeAsync_ClientStillThere_OneFinIsLogged()
    {
        await using var pair = await ConnectAsync();
        await pair.Output.CompleteAsync();
        await pair.Server.DisposeAsync();

        const string Reason = "The application has ended the connection's output.";
        Assert.Equal([$"Connection id \"{pair.Server.ConnectionId}\" sending FIN because: \"{Reason}\""], _log.TextsOf(7));
        Assert.Empty(_log.TextsOf(8));
    }

    [Fact]
    public async Task Client_Ends_IsLogged()
    {
        await using var pair = await ConnectAsync();
        pair.Client.Shutdown(SocketShutdown.Send);
        await pair.Server.ConnectionClosed.Within("the end is reported");

        Assert.Equal([$"Connection id \"{pair.Server.ConnectionId}\" received FIN."], _log.TextsOf(6));
    }

    [Fact]
    public async Task Client_Resets_IsLogged()
    {
        await using var pair = await ConnectAsync();
        pair.ResetClient();
        await pair.Server.ConnectionClosed.Within("the reset is reported");

        Assert.Equal([$"Connection id \"{pair.Server.ConnectionId}\" reset."], _log.TextsOf(19));
        Assert.Empty(_log.TextsOf(14));
    }

    [Fact]
    public async Task Client_SendsUnreadBytes_PauseAndResumeAreLogged()
    {
        await using var pair = await ConnectAsync();
        pair.Client.Send(new byte[3]);
        Wait.Until(() => _log.TextsOf(4).Count == 1);
        Assert.Empty(_log.TextsOf(5));
        pair.Input.AdvanceTo((await pair.Input.ReadAsync().Within("the bytes")).Buffer.End);

        Assert.Single(_log.TextsOf(5));
    }

    [Fact]
    public void FollowLevel_DebugIsTurnedOn_IsNoticedWithinASecond()
    {
        var time = new ManualTime();
        using var logger = new RecordingLog(from: LogLevel.None);
        var log = new ConnectionLog(new OutboxLogger(logger, Outbox.Instance), time);
        Assert.False(Follow());
        logger.From = LogLevel.Debug;
        Assert.False(Follow());

        time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(Follow());

        bool Follow()
        {
            log.FollowLevel();
            Callbacks.Wait();
            return log.IsEnabled;
        }
    }

    private async Task<RawPair> ConnectAsync()
    {
        var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = EpollDispatchMode.ThreadPool }, loggers: _log);

        // The logger's level was asked for.
        Callbacks.Wait();
        return pair;
    }

    private static IEnumerable<(int Id, string? Name, LogLevel Level, string Text)> EventsOf(Type type) =>
        from method in type.GetMethods(BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance)
        let message = method.GetCustomAttribute<LoggerMessageAttribute>()
        where message is not null
        orderby message.EventId
        select (message.EventId, message.EventName, message.Level, message.Message);
}
