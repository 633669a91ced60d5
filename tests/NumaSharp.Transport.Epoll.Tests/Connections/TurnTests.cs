using System.Net.Sockets;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>A connection that always has bytes lets others have their turn after a bounded number of them.</summary>
public sealed class TurnTests : IDisposable
{
    // What a turn receives, and the receive that goes beyond it.
    private const long Turn = 2 * (128 << 10);

    private readonly Gate _release = new();
    private readonly NumaTaskScheduler _scheduler;

    public TurnTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

        // A worker that is held gets no spare.
        _scheduler = new NumaTaskScheduler(
            new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan(), CompensateBlocking = false });
    }

    public void Dispose() => _release.Dispose();

    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    public async Task Reader_MoreBytesThanATurn_OthersAreServedBetween(EpollDispatchMode dispatch)
    {
        await using var flooding = await RawPair.ConnectAsync(new EpollTransportOptions { Dispatch = dispatch }, _scheduler);
        var other = await flooding.ConnectAnotherAsync();
        var received = 0L;
        var receivedBefore = new TaskCompletionSource<long>();
        var serving = ReadAsync(flooding.Server, count => received += count);
        var servingOther = ReadAsync(other.Server, _ => receivedBefore.TrySetResult(received));
        Wait.Until(() => flooding.Input.IsWaiting && other.Input.IsWaiting);

        Hold(dispatch, flooding);
        Assert.True(Fill(flooding.Client) > 2 * Turn);
        WaitForQueue(dispatch, 1);
        other.Client.Send(new byte[1]);
        WaitForQueue(dispatch, 2);
        _release.Open();

        Assert.InRange(await receivedBefore.Task.Within("the other connection is served"), 0, Turn);
        flooding.Client.Dispose();
        other.Client.Dispose();
        await Task.WhenAll(serving, servingOther).Within("the readers see the end");
    }

    private void Hold(EpollDispatchMode dispatch, RawPair pair)
    {
        var held = new SemaphoreSlim(0);
        void BeHeld()
        {
            held.Release();
            _release.Pass();
        }

        if (dispatch == EpollDispatchMode.Inline)
        {
            pair.Server.Shard.Loop.Post(new Caller(BeHeld));
        }
        else
        {
            _scheduler.QueueOnNode(0, _ => BeHeld(), state: null);
        }

        Wait.For(held, "the loop or the worker is held");
    }

    private void WaitForQueue(EpollDispatchMode dispatch, int length)
    {
        if (dispatch == EpollDispatchMode.Node)
        {
            Wait.Until(() => _scheduler.GetQueueLength(0) == length);
        }
    }

    private static long Fill(Socket client)
    {
        client.Blocking = false;
        var piece = new byte[64 << 10];
        var sent = 0L;
        for (var error = SocketError.Success; error == SocketError.Success;)
        {
            sent += client.Send(piece, SocketFlags.None, out error);
        }

        client.Blocking = true;
        return sent;
    }

    private static async Task ReadAsync(EpollConnection connection, Action<long> onReceived)
    {
        var input = connection.Transport.Input;
        while (await input.ReadAsync() is { IsCompleted: false } read)
        {
            onReceived(read.Buffer.Length);
            input.AdvanceTo(read.Buffer.End);
        }
    }
}
