using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>What connections of one loop answer while it has other events at hand is sent after those, and never later.</summary>
public sealed class SendsInARowTests : IAsyncLifetime
{
    private readonly LateThread _late = new();
    private RawPair? _first;
    private RawPair? _second;

    private RawPair First => _first!;

    private RawPair Second => _second!;

    public ValueTask InitializeAsync() => default;

    public ValueTask DisposeAsync() => _first?.DisposeAsync() ?? default;

    [Fact]
    public async Task Answers_OthersAtHand_AreSentAfterThose()
    {
        await ConnectAsync(EpollDispatchMode.Adaptive);
        var whileSecond = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = AnswerAsync(First, size: 100);
        var second = AnswerAsync(Second, size: 100, () => whileSecond.SetResult(First.Client.Available));
        await SendAtOnceAsync();

        Assert.Equal(0, await whileSecond.Task.Within("the second callback"));
        await first.Within("the first handler");
        await second.Within("the second handler");
        await ReceiveAsync(First.Client, 100);
        await ReceiveAsync(Second.Client, 100);
    }

    // Inline has no watchdog: the second handler may block for ever. Long ones would be out of the caches by then.
    [Theory]
    [InlineData(EpollDispatchMode.Inline, 100)]
    [InlineData(EpollDispatchMode.Adaptive, SendPipe.MaxPosted + 1)]
    public async Task Answers_InlineOrLong_AreSentAtOnce(EpollDispatchMode mode, int size)
    {
        await ConnectAsync(mode);
        var whileSecond = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = AnswerAsync(First, size);
        var second = AnswerAsync(
            Second,
            size: 1,
            () =>
            {
                Wait.Until(() => First.Client.Available > 0);
                whileSecond.SetResult();
            });
        await SendAtOnceAsync();

        await whileSecond.Task.Within("the second callback");
        await first.Within("the first handler");
        await second.Within("the second handler");
    }

    [Fact]
    public async Task Answers_TheNextHandlerBlocks_AreSentMeanwhile()
    {
        await ConnectAsync(EpollDispatchMode.Adaptive);
        using var gate = new ManualResetEvent(initialState: false);
        var first = AnswerAsync(First, size: 100);
        var second = AnswerAsync(Second, size: 100, () =>
        {
            _late.IsCaller(Second.Server.Shard.Loop);
            Wait.For(gate);
        });
        await SendAtOnceAsync();

        await ReceiveAsync(First.Client, 100);
        Assert.False(second.IsCompleted);
        gate.Set();
        await first.Within("the first handler");
        await second.Within("the second handler");
        await ReceiveAsync(Second.Client, 100);
    }

    [Fact]
    public async Task Answers_TheConnectionLeavesTheLoopMeanwhile_AreSent()
    {
        await ConnectAsync(EpollDispatchMode.Adaptive);
        var first = AnswerAsync(First, size: 100);
        var second = AnswerAsync(Second, size: 1, () =>
        {
            while (First.Server.Dispatcher.IsInline)
            {
                First.Server.OnHandedOver();
            }
        });
        await SendAtOnceAsync();

        await ReceiveAsync(First.Client, 100);
        await first.Within("the first handler");
        await second.Within("the second handler");
    }

    [Fact]
    public async Task Answers_TheConnectionIsDisposedMeanwhile_AreSentFirst()
    {
        await ConnectAsync(EpollDispatchMode.Adaptive);
        Task? disposing = null;
        var first = AnswerAsync(First, size: 100);
        var second = AnswerAsync(Second, size: 1, () => disposing = First.Server.DisposeAsync().AsTask());
        await SendAtOnceAsync();

        await ReceiveAsync(First.Client, 100);
        Assert.Equal(0, await First.Client.ReceiveAsync(new byte[1]).Within("the end"));
        await first.Within("the first handler");
        await second.Within("the second handler");
        await disposing!.Within("the connection is disposed");
    }

    private async Task ConnectAsync(EpollDispatchMode mode)
    {
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { Enabled = false, LoopsPerNode = 1 });
        var options = new EpollTransportOptions { Dispatch = mode, ConfigureLoops = _late.Configure };
        _first = await RawPair.ConnectAsync(options, new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan }));
        _second = await _first.ConnectAnotherAsync();
        _first.Server.Shard.Loop.LongestRound = TimeSpan.MaxValue;
    }

    private static async Task AnswerAsync(RawPair pair, int size, Action? before = null)
    {
        var (input, output) = (pair.Input, pair.Output);
        var read = await input.ReadAsync();
        input.AdvanceTo(read.Buffer.End);
        before?.Invoke();
        output.GetSpan(size)[..size].Clear();
        output.Advance(size);
        await output.FlushAsync();
    }

    // Keeps the loop until its epoll has both, so that one epoll_wait returns them, in this order.
    private async Task SendAtOnceAsync()
    {
        var loop = First.Server.Shard.Loop;
        Assert.Same(loop, Second.Server.Shard.Loop);
        using var kept = new ManualResetEvent(initialState: false);
        using var gate = new ManualResetEvent(initialState: false);
        loop.Post(new Caller(() =>
        {
            kept.Set();
            Wait.For(gate);
        }));
        Wait.For(kept);
        foreach (var pair in (RawPair[])[First, Second])
        {
            using var input = new ReadinessProbe(pair.Server.Socket);
            await pair.Client.SendAsync(new byte[1]);
            input.WaitUntilAllAreNotified();
        }

        gate.Set();
    }

    private static async Task ReceiveAsync(Socket client, int size)
    {
        var buffer = new byte[size];
        for (var received = 0; received < size;)
        {
            var count = await client.ReceiveAsync(buffer.AsMemory(received)).AsTask().Within("the answer");
            Assert.NotEqual(0, count);
            received += count;
        }
    }
}
