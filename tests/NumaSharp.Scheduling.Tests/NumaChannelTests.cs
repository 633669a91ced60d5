using System.Threading.Channels;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class NumaChannelTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1, 1, 0);

    public void Dispose() => _scheduler.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ReadAsync_ThatWaits_GoesOnOnTheNodeWhoeverWrites(bool writesOnANode)
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 1);
        async Task<(int Item, int Node)> ReadAsync() =>
            (await channel.Reader.ReadAsync(), NumaTaskScheduler.CurrentNodeIndex);

        var reading = ReadAsync();
        Assert.False(reading.IsCompleted);
        if (writesOnANode)
        {
            await _scheduler.RunOnNode(0, () => Assert.True(channel.Writer.TryWrite(42)));
        }
        else
        {
            Assert.True(channel.Writer.TryWrite(42));
        }

        Assert.Equal((42, 1), await reading);
    }

    [Fact]
    public async Task Reading_OfWhatIsThere_GoesOnOnTheNodeToo()
    {
        var channel = NumaChannel.CreateBounded<int>(_scheduler, 1, capacity: 2);
        Assert.True(channel.Writer.TryWrite(1));
        Assert.True(channel.Writer.TryWrite(2));
        Assert.False(channel.Writer.TryWrite(3));

        Assert.Equal(1, await channel.Reader.ReadAsync());
        Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
        Assert.True(channel.Reader.WaitToReadAsync().AsTask().IsCompletedSuccessfully);
        Assert.Equal(2, await channel.Reader.ReadAsync());
        await _scheduler.SwitchTo(0);
        channel.Writer.Complete();
        Assert.False(await channel.Reader.WaitToReadAsync());
        Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
    }

    [Fact]
    public async Task ReadAllAsync_ProducersElsewhere_GivesEveryItemOnTheNode()
    {
        const int Count = 20_000;
        var channel = NumaChannel.CreateBounded<int>(_scheduler, 1, capacity: 16);
        var seen = new int[Count];
        async Task ReadAsync()
        {
            await foreach (var item in channel.Reader.ReadAllAsync())
            {
                Assert.Equal(1, NumaTaskScheduler.CurrentNodeIndex);
                seen[item]++;
            }
        }

        async Task WriteAsync()
        {
            for (var i = 0; i < Count; i++)
            {
                await channel.Writer.WriteAsync(i);
            }

            channel.Writer.Complete();
        }

        await Task.WhenAll(ReadAsync(), _scheduler.RunOnNode(0, WriteAsync));
        Assert.All(seen, static count => Assert.Equal(1, count));
    }

    [Fact]
    public async Task ReadAsync_CancelledOrCompleted_FailsOnTheNode()
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 2);
        using var cancel = new CancellationTokenSource();
        async Task<(Exception?, int)> ReadAsync()
        {
            var error = await Record.ExceptionAsync(async () => await channel.Reader.ReadAsync(cancel.Token));
            return (error, NumaTaskScheduler.CurrentNodeIndex);
        }

        var reading = ReadAsync();
        await cancel.CancelAsync();
        var (error, node) = await reading;
        Assert.IsAssignableFrom<OperationCanceledException>(error);

        // Node 2 has no CPUs; node 1 runs its work.
        Assert.Equal(1, node);
        Assert.True(channel.Writer.TryComplete(new InvalidTimeZoneException()));
        var closed = await Assert.ThrowsAsync<ChannelClosedException>(async () => await channel.Reader.ReadAsync());
        Assert.IsType<InvalidTimeZoneException>(closed.InnerException);
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => channel.Reader.Completion);
    }

    [Fact]
    public async Task ReadAsync_UnderATaskSchedulerOfItsOwn_ComesBackThere()
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 1);

        var reading = _scheduler.RunOnNode(0, async () =>
        {
            await channel.Reader.ReadAsync();
            return NumaTaskScheduler.CurrentNodeIndex;
        });
        await _scheduler.RunOnNode(0, static () => { });
        Assert.True(channel.Writer.TryWrite(1));

        Assert.Equal(0, await reading);
    }

    [Fact]
    public async Task ReadAsync_SeveralReadersAtATime_EachGetTheirOwn()
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 1);
        var reads = Enumerable.Range(0, 100).Select(_ => channel.Reader.ReadAsync().AsTask()).ToArray();

        for (var i = 0; i < reads.Length; i++)
        {
            Assert.True(channel.Writer.TryWrite(i));
        }

        Assert.Equal(Enumerable.Range(0, reads.Length), (await Task.WhenAll(reads)).Order());
    }

    [Fact]
    public async Task ReadAsync_ExecutionContext_IsTheReaders()
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 1);
        var local = new AsyncLocal<string?> { Value = "reader's" };
        using var done = new CountdownEvent(2);
        var seen = new string?[2];
#pragma warning disable CA2012 // It is what async methods do, step by step.
        var awaiter = channel.Reader.ReadAsync().GetAwaiter();
#pragma warning restore CA2012
        awaiter.OnCompleted(() => { seen[0] = local.Value; done.Signal(); });
        async Task ReadAsync()
        {
            await channel.Reader.ReadAsync();
            seen[1] = local.Value;
            done.Signal();
        }

        var reading = ReadAsync();
        local.Value = "writer's";
        Assert.True(channel.Writer.TryWrite(1));
        Assert.True(channel.Writer.TryWrite(2));

        done.WaitFor();
        await reading;
        Assert.Equal(1, awaiter.GetResult());
        Assert.Equal(("reader's", "reader's"), (seen[0], seen[1]));
    }

    [Fact]
    public void ReadAsync_ResultUsedTwiceOrTooEarly_Throws()
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 1);
#pragma warning disable CA2012 // It is what async methods do, step by step.
        var awaiter = channel.Reader.ReadAsync().GetAwaiter();
#pragma warning restore CA2012
        using var done = new ManualResetEvent(false);

        Assert.Throws<InvalidOperationException>(() => awaiter.GetResult());
        awaiter.UnsafeOnCompleted(() => done.Set());
        Assert.Throws<InvalidOperationException>(() => awaiter.UnsafeOnCompleted(static () => { }));
        Assert.True(channel.Writer.TryWrite(7));
        done.WaitFor();
        Assert.Equal(7, awaiter.GetResult());
        Assert.Throws<InvalidOperationException>(() => awaiter.GetResult());
        Assert.Throws<InvalidOperationException>(() => awaiter.IsCompleted);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public async Task ReadAsync_InSteadyState_AllocatesNothing()
    {
        var channel = NumaChannel.CreateUnbounded<int>(
            _scheduler, 1, new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });
        using var waiting = new AutoResetEvent(false);
        var least = long.MaxValue;
        async Task ReadAsync()
        {
            for (var i = 0; i < 500; i++)
            {
                var before = GC.GetAllocatedBytesForCurrentThread();
                var read = channel.Reader.ReadAsync();
                waiting.Set();
                await read;

                // The reads before the first are on another thread.
                least = i < 2 ? least : Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            }
        }

        var reading = ReadAsync();
        for (var i = 0; i < 500; i++)
        {
            waiting.WaitFor();
            Assert.True(channel.Writer.TryWrite(i));
        }

        await reading;
        Assert.Equal(0, least);
    }

    [Fact]
    public void Reader_OtherMembers_AreTheChannels()
    {
        var dropped = new List<string>();
        var options = new BoundedChannelOptions(2) { FullMode = BoundedChannelFullMode.DropOldest };
        var channel = NumaChannel.CreateBounded<string>(_scheduler, 0, options, dropped.Add);
        foreach (var item in (string[])["a", "b", "c"])
        {
            Assert.True(channel.Writer.TryWrite(item));
        }

        Assert.Equal(["a"], dropped);
        Assert.True(channel.Reader.CanCount);
        Assert.True(channel.Reader.CanPeek);
        Assert.Equal(2, channel.Reader.Count);
        Assert.True(channel.Reader.TryPeek(out var peeked));
        Assert.True(channel.Reader.TryRead(out var read));
        Assert.Equal(("b", "b"), (peeked, read));
        channel.Writer.Complete();
        Assert.False(channel.Reader.Completion.IsCompleted);
        Assert.True(channel.Reader.TryRead(out _));
        Assert.True(channel.Reader.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task ReadAsync_AfterDispose_GoesOnOnTheThreadPool()
    {
        var channel = NumaChannel.CreateUnbounded<int>(_scheduler, 1);
        async Task<bool> ReadAsync()
        {
            await channel.Reader.ReadAsync();
            return Thread.CurrentThread.IsThreadPoolThread;
        }

        var reading = ReadAsync();
        _scheduler.Dispose();
        Assert.True(channel.Writer.TryWrite(1));
        Assert.True(channel.Writer.TryWrite(2));

        Assert.True(await reading);
        Assert.True(await ReadAsync());
    }

    [Fact]
    public void Create_BadArguments_Throw()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => NumaChannel.CreateUnbounded<int>(_scheduler, 3));
        Assert.Throws<ArgumentOutOfRangeException>(() => NumaChannel.CreateBounded<int>(_scheduler, -1, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => NumaChannel.CreateBounded<int>(_scheduler, 0, -1));
        Assert.Throws<ArgumentNullException>(() => NumaChannel.CreateUnbounded<int>(null!, 0));
        Assert.Throws<ArgumentNullException>(() => NumaChannel.CreateBounded<int>(_scheduler, 0, null!));
    }
}
