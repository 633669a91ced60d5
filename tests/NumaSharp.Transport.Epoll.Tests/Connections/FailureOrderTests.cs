using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>
/// A socket that has failed: the callbacks of ConnectionClosed learn of it before the reader, which would otherwise take the
/// client's leaving for an error of his own.
/// </summary>
public sealed class FailureOrderTests
{
    private readonly ManualTime _time = new();
    private readonly ManualResetEventSlim _isToldOf = new();

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    public async Task ReadAsync_ResetWhileItWaits_ThrowsAfterConnectionClosed(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        using var gate = new Gate();
        Block(pair, gate);
        var read = pair.Input.ReadAsync().AsTask();
        pair.ResetClient();
        await LoopHasSeenItAsync(pair);

        Assert.False(read.IsCompleted);
        gate.Open();
        await Assert.ThrowsAsync<ConnectionResetException>(() => read.Within("the read ends"));
    }

    [Fact]
    public async Task ReadAsync_ResetBefore_ThrowsAfterConnectionClosed()
    {
        await using var pair = await ConnectAsync(EpollDispatchMode.ThreadPool);
        using var gate = new Gate();
        Block(pair, gate);

        // Unread bytes are lost with the connection.
        await pair.Client.SendAsync(new byte[3]);
        var unread = await pair.Input.ReadAsync().Within("the bytes");
        pair.Input.AdvanceTo(unread.Buffer.Start);
        pair.ResetClient();
        await LoopHasSeenItAsync(pair);

        Assert.False(pair.Input.TryRead(out _));
        var read = pair.Input.ReadAsync().AsTask();
        Assert.False(read.IsCompleted);
        gate.Open();
        await Assert.ThrowsAsync<ConnectionResetException>(() => read.Within("the read ends"));
        Assert.Throws<ConnectionResetException>(() => pair.Input.TryRead(out _));
    }

    [Fact]
    public async Task ReadAsync_ACallbackOfConnectionClosedWaitsForIt_ThrowsAfterASecond()
    {
        await using var pair = await ConnectAsync(EpollDispatchMode.Inline);
        using var gate = new Gate();
        Block(pair, gate);
        var read = pair.Input.ReadAsync().AsTask();
        pair.ResetClient();
        await LoopHasSeenItAsync(pair);
        Assert.False(read.IsCompleted);

        _time.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAsync<ConnectionResetException>(() => read.Within("the read ends"));
    }

    private Task<RawPair> ConnectAsync(EpollDispatchMode dispatch) => RawPair.ConnectAsync(
        new EpollTransportOptions { Dispatch = dispatch, Time = _time, ConfigureLoops = new LateThread().Configure });

    private void Block(RawPair pair, Gate gate) => pair.Server.ConnectionClosed.Register(() =>
    {
        _isToldOf.Set();
        gate.Pass();
    });

    // And has run whatever it runs because of it.
    private async Task LoopHasSeenItAsync(RawPair pair)
    {
        Wait.For(_isToldOf);
        var turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        pair.Server.Shard.Loop.Post(new Caller(turn.SetResult));
        await turn.Task.Within("the loop has ended its round");
    }
}
