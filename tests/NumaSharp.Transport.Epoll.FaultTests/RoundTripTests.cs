using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>
/// What a round trip costs, over TCP and over Unix sockets, accepted and made. It is counted on the loop's thread, each time the
/// application has received a byte. The loop waits once for each event, and again when a signal of the runtime has ended a wait:
/// so the events are what is counted, not the waits.
/// </summary>
public sealed class RoundTripTests : IAsyncDisposable
{
    private const int Rounds = 100;
    private const byte Short = 0;
    private const byte Long = 1;

    // More than a Unix socket takes at once.
    private const int LongAnswer = 2 << 20;

    private readonly NumaTaskScheduler _scheduler = new(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() });
    private readonly EpollTransportFactory _factory;
    private readonly Fault[] _receives = [CounterOf("recv"), CounterOf("recvmsg")];
    private readonly Fault[] _sends = [CounterOf("send"), CounterOf("sendmsg")];
    private readonly List<Counts> _counts = [];
    private IConnectionListener? _listener;

    // Inline has no watchdog, and the listener's timer does not come due: nothing but the connection wakes the loop.
    public RoundTripTests() => _factory = new EpollTransportFactory(
        _scheduler, new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline, Time = new ManualTime() });

    public async ValueTask DisposeAsync()
    {
        if (_listener is not null)
        {
            await _listener.DisposeAsync();
        }

        _factory.Dispose();
        _scheduler.Dispose();
        foreach (var counter in (Fault[])[.. _receives, .. _sends])
        {
            counter.Dispose();
        }
    }

    // A Unix socket becomes writable whenever its peer reads, and a receive from one may be short although more is there: neither
    // may cost a call where nothing waits for room, and nothing but bytes was sent.
    [Theory]
    [InlineData(AddressFamily.InterNetwork, true)]
    [InlineData(AddressFamily.InterNetwork, false)]
    [InlineData(AddressFamily.Unix, true)]
    [InlineData(AddressFamily.Unix, false)]
    public async Task RoundTrip_IsOneEventOneReceiveOneSend(AddressFamily family, bool isAccepted)
    {
        await RunAsync(family, isAccepted, [.. Enumerable.Repeat(Short, Rounds + 2)]);

        // The first read was begun on another thread.
        Assert.Equal(new Counts(Rounds, Rounds, Rounds), _counts[^1] - _counts[1]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task RoundTrip_AfterAShortSend_IsOneEventOneReceiveOneSend(bool isAccepted)
    {
        await RunAsync(AddressFamily.Unix, isAccepted, [Short, Long, Short, .. Enumerable.Repeat(Short, Rounds + 1)]);

        Assert.True((_counts[2] - _counts[1]).Sends > 1, "The long answer was to take more than one send.");
        Assert.Equal(new Counts(Rounds, Rounds, Rounds), _counts[^1] - _counts[3]);
    }

    private async Task RunAsync(AddressFamily family, bool isAccepted, byte[] questions)
    {
        var (connection, peer) = await ConnectAsync(family, isAccepted);
        await using (connection)
        {
            using (peer)
            {
                var serving = ServeAsync(connection);
                foreach (var question in questions)
                {
                    await peer.SendAsync(new[] { question }).Within("the question is sent");
                    await FaultServer.ReceiveAsync(peer, LengthOf(question));
                }

                peer.Shutdown(SocketShutdown.Send);
                await serving.Within("the application meets the end");
            }
        }

        Assert.Equal(questions.Length, _counts.Count);
    }

    // The word counts the callbacks that have ended, by two each.
    private async Task ServeAsync(EpollConnection connection)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        while (await input.ReadAsync() is { Buffer.IsEmpty: false } read)
        {
            _counts.Add(new Counts(
                connection.Shard.Loop.BatonWord / 2, _receives.Sum(static it => it.Failed), _sends.Sum(static it => it.Failed)));
            var answer = new byte[LengthOf(read.Buffer.FirstSpan[0])];
            input.AdvanceTo(read.Buffer.End);
            await output.WriteAsync(answer);
        }
    }

    private async Task<(EpollConnection Connection, Socket Peer)> ConnectAsync(AddressFamily family, bool isAccepted)
    {
        EndPoint endPoint = family == AddressFamily.Unix
            ? new UnixDomainSocketEndPoint(UnixPath.New())
            : new IPEndPoint(IPAddress.Loopback, 0);
        if (isAccepted)
        {
            _listener = await _factory.BindAsync(endPoint);
            var peer = new Socket(family, SocketType.Stream, ProtocolType.Unspecified);
            await peer.ConnectAsync(_listener.EndPoint).Within("the peer connects");
            return ((EpollConnection)(await _listener.AcceptAsync().Within("the connection is accepted"))!, peer);
        }

        using var target = new Socket(family, SocketType.Stream, ProtocolType.Unspecified);
        target.Bind(endPoint);
        target.Listen();
        var connection = await _factory.ConnectAsync(target.LocalEndPoint!).Within("the connection is made");
        return ((EpollConnection)connection, await target.AcceptAsync().Within("the peer accepts"));
    }

    private static int LengthOf(byte question) => question == Long ? LongAnswer : 1;

    private static Fault CounterOf(string call) => new(call, errno: 0, times: int.MaxValue);

    private readonly record struct Counts(long Events, int Receives, int Sends)
    {
        public static Counts operator -(Counts last, Counts first) =>
            new(last.Events - first.Events, last.Receives - first.Receives, last.Sends - first.Sends);
    }
}
