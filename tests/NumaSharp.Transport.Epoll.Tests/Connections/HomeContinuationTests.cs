using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Where an application continues that is dispatched to the workers of its connection's node.</summary>
public sealed class HomeContinuationTests
{
    private static readonly EpollTransportOptions s_node = new()
    {
        Dispatch = EpollDispatchMode.Node,
        MaxWriteBufferSize = 4096,
    };

    [Fact]
    public async Task ReadAsync_EndsBeforeItIsAwaited_ContinuesOnAWorker()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        var node = await OnWorkerAsync<int>(scheduler, answer =>
        {
            var read = pair.Input.ReadAsync();
            Assert.False(read.IsCompleted);
            pair.Client.Send(new byte[10]);
            Wait.Until(() => read.IsCompleted);
            GoOn(read.GetAwaiter(), answer, awaiter =>
            {
                Assert.Equal(10, awaiter.GetResult().Buffer.Length);
                return NumaTaskScheduler.CurrentNodeIndex;
            });
        });

        Assert.Equal(0, node);
    }

    [Fact]
    public async Task FlushAsync_EndsBeforeItIsAwaited_ContinuesOnAWorker()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        var node = await OnWorkerAsync<int>(scheduler, answer =>
        {
            var flush = pair.Output.FlushAsync();
            for (var written = 0; flush.IsCompleted; written++)
            {
                Assert.InRange(written, 0, 10_000);
                pair.Output.GetSpan(1 << 16);
                pair.Output.Advance(1 << 16);
                flush = pair.Output.FlushAsync();
            }

            var buffer = new byte[1 << 20];
            Wait.Until(() =>
            {
                if (pair.Client.Available > 0)
                {
                    pair.Client.Receive(buffer, SocketFlags.None);
                }

                return flush.IsCompleted;
            });
            GoOn(flush.GetAwaiter(), answer, awaiter =>
            {
                Assert.False(awaiter.GetResult().IsCompleted);
                return NumaTaskScheduler.CurrentNodeIndex;
            });
        });

        Assert.Equal(0, node);
    }

    [Fact]
    public async Task CancelPendingRead_FromAnywhere_ContinuesOnAWorker()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        for (var i = 0; i < 20; i++)
        {
            var read = ReadAsync();
            pair.Input.CancelPendingRead();

            Assert.Equal((true, 0), await read.Within("the read is cancelled"));
        }

        // As Kestrel begins: away from home.
        async Task<(bool, int)> ReadAsync()
        {
            var result = await pair.Input.ReadAsync();
            return (result.IsCanceled, NumaTaskScheduler.CurrentNodeIndex);
        }
    }

    [Fact]
    public async Task CancelPendingRead_SchedulerHasEnded_Continues()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        var read = pair.Input.ReadAsync().AsTask();
        scheduler.Dispose();
        pair.Input.CancelPendingRead();

        Assert.True((await read.Within("the read is cancelled")).IsCanceled);
    }

    [Fact]
    public async Task CancelPendingRead_ContextAskedToFlow_Flows()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        var flowing = new AsyncLocal<string> { Value = "the reader's" };
        var seen = new TaskCompletionSource<(string?, int)>(TaskCreationOptions.RunContinuationsAsynchronously);
        var awaiter = BeginRead(pair.Input);
        awaiter.OnCompleted(() => seen.SetResult((flowing.Value, NumaTaskScheduler.CurrentNodeIndex)));
        using (ExecutionContext.SuppressFlow())
        {
            pair.Input.CancelPendingRead();
        }

        Assert.Equal(("the reader's", 0), await seen.Task.Within("the read is cancelled"));
        Assert.True(ResultOf(awaiter).IsCanceled);
    }

    [Fact]
    public async Task ReadAsync_AwaitedWithASchedulerOfItsOwn_ContinuesThere()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        var own = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
        var reading = Task.Factory.StartNew(
            async () =>
            {
                Assert.Equal(10, (await pair.Input.ReadAsync()).Buffer.Length);
                return TaskScheduler.Current;
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            own).Unwrap();
        await pair.Client.SendAsync(new byte[10]);

        Assert.Same(own, await reading.Within("the bytes"));
    }

    [Fact]
    public async Task ReadAsync_AwaitedTwice_SaysSoAndTheFirstContinues()
    {
        using var scheduler = RawPair.CreateScheduler();
        await using var pair = await RawPair.ConnectAsync(s_node, scheduler);
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var awaiter = BeginRead(pair.Input);
        awaiter.UnsafeOnCompleted(first.SetResult);

        Assert.Throws<InvalidOperationException>(() => awaiter.UnsafeOnCompleted(static () => { }));
        await pair.Client.SendAsync(new byte[10]);
        await first.Task.Within("the bytes");
        Assert.Equal(10, ResultOf(awaiter).Buffer.Length);
    }

    [SuppressMessage("Reliability", "CA2012", Justification = "What an awaiter does is what is tested.")]
    private static ValueTaskAwaiter<ReadResult> BeginRead(ReceivePipe input)
    {
        var read = input.ReadAsync();
        return read.GetAwaiter();
    }

    private static ReadResult ResultOf(ValueTaskAwaiter<ReadResult> awaiter) => awaiter.GetResult();

    private static Task<T> OnWorkerAsync<T>(NumaTaskScheduler scheduler, Action<TaskCompletionSource<T>> action)
    {
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        scheduler.QueueOnNode(0, new Item(() => Answer(answer, () => action(answer))));
        return answer.Task.Within("the worker's part ends");
    }

    private static void GoOn<TAwaiter, T>(TAwaiter awaiter, TaskCompletionSource<T> answer, Func<TAwaiter, T> next)
        where TAwaiter : ICriticalNotifyCompletion =>
        awaiter.UnsafeOnCompleted(() => Answer(answer, () => answer.SetResult(next(awaiter))));

    // An assertion must not end the worker.
    private static void Answer<T>(TaskCompletionSource<T> answer, Action action)
    {
        try
        {
            action();
        }
        catch (Exception exception)
        {
            answer.SetException(exception);
        }
    }

    private sealed class Item(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}
