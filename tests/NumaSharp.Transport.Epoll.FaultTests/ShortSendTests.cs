using System.Globalization;
using System.Net.Sockets;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>
/// A Unix socket is watched for room only from a short send on, by a call of its own (EPOLL_CTL_MOD): what happens just before
/// that call, and when it fails.
/// </summary>
public sealed class ShortSendTests
{
    private const int EpollModify = 3;
    private const uint EpollOut = 4;

    // More than a socket takes at once.
    private const byte Blocks = 255;
    private const int AnswerLength = Blocks * FaultServer.AnswerLength;

    public static TheoryData<string, string> WatchRows => ManPages.Rows("epoll_ctl");

    [Fact]
    public async Task Send_Short_RoomIsWatchedUntilAllIsSent()
    {
        await using var server = await StartAsync();
        var client = await server.ConnectAsync();
        await FaultServer.AskAsync(client);
        var socket = Fault.LastDescriptorOf("send");
        Assert.False(IsWatchedForRoom(socket));

        await client.SendAsync(new[] { Blocks }).Within("the client asks");
        await Wait.UntilAsync(() => IsWatchedForRoom(socket));
        await FaultServer.ReceiveAsync(client, AnswerLength);
        await Wait.UntilAsync(() => !IsWatchedForRoom(socket));
        await server.AssertServesAsync();
    }

    // The peer reads all there is just before each of these calls, and never again: no event is to come afterwards.
    [Fact]
    public async Task Send_ShortAndTheRoomIsThereBeforeItIsWatched_Continues()
    {
        await using var server = await StartAsync();
        var client = await server.ConnectAsync();
        var buffer = new byte[AnswerLength];
        var received = 0;
        using var watched = new Fault("epoll_ctl", errno: 0, EpollModify, times: int.MaxValue, onCall: () =>
        {
            while (client.Available > 0)
            {
                received += client.Receive(buffer);
            }
        });
        await client.SendAsync(new[] { Blocks }).Within("the client asks");

        await Wait.UntilAsync(
            () => Volatile.Read(ref received) == AnswerLength,
            () => $"{received} of {AnswerLength} bytes, {watched.Failed} calls");
        Assert.True(watched.Failed > 1, $"{watched.Failed} calls: the answer was to be longer than what a socket takes.");
        await server.AssertServesAsync();
    }

    [Theory]
    [MemberData(nameof(WatchRows))]
    public async Task Send_ShortAndTheRoomCannotBeWatched_EndsTheConnection(string call, string error)
    {
        await using var server = await StartAsync();
        var client = await server.ConnectAsync();
        using (var fault = new Fault(call, ManPages.NumberOf(error), EpollModify))
        {
            await client.SendAsync(new[] { Blocks }).Within("the client asks");
            await fault.Met.Within($"{fault} is met");
        }

        await FaultServer.EndsAsync(client);
        Assert.Contains(error, (await server.NextEndAsync())!.Message, StringComparison.Ordinal);
        await server.AssertServesAsync();
        Assert.Empty(server.Log.Entries);
    }

    // "tfd:       17 events: 8000201f data: ..." (proc(5), fdinfo).
    private static bool IsWatchedForRoom(int socket)
    {
        var entry = File.ReadLines($"/proc/self/fdinfo/{Fault.LastDescriptorOf("epoll_wait")}")
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Single(parts => parts[0] == "tfd:" && parts[1] == socket.ToString(CultureInfo.InvariantCulture));
        return (uint.Parse(entry[3], NumberStyles.HexNumber, CultureInfo.InvariantCulture) & EpollOut) != 0;
    }

    private static async Task<FaultServer> StartAsync()
    {
        var server = new FaultServer(new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline });
        await server.StartAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        return server;
    }
}
