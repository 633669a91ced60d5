using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed class OutboxTests : IDisposable
{
    private readonly Outbox _outbox = new();
    private readonly Gate _gate = new();
    private readonly ConcurrentQueue<string> _called = new();

    public void Dispose() => _gate.Dispose();

    [Fact]
    public void Post_FromSeveralThreads_IsCalledByOneOtherInOrder()
    {
        var threads = new ConcurrentDictionary<Thread, bool>();
        for (var i = 0; i < 100; i++)
        {
            var number = i;
            Assert.True(_outbox.Post(() =>
            {
                threads[Thread.CurrentThread] = true;
                _called.Enqueue($"{number}");
            }));
        }

        Flush();
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => $"{i}"), _called);
        Assert.NotEqual(Thread.CurrentThread, Assert.Single(threads).Key);
    }

    [Fact]
    public void Post_TheCallThrows_TheNextIsCalled()
    {
        _outbox.Post(static () => throw new InvalidDataException("call"));
        _outbox.Post(() => _called.Enqueue("next"));
        Flush();
        Assert.Equal(["next"], _called);
    }

    [Fact]
    public void Post_TheCallChangesTheThread_TheNextFindsItRestored()
    {
        SpoiltThread? thread = null;
        var isRestored = false;
        _outbox.Post(() => thread = SpoiltThread.Current());
        _outbox.Post(() => isRestored = thread!.IsRestored);
        Flush();
        Assert.True(isRestored);
    }

    [Fact]
    public void Post_NothingReturns_DropsBeyondTheCapacityAndCountsIt()
    {
        Occupy();
        for (var i = 0; i < Outbox.Capacity; i++)
        {
            Assert.True(_outbox.Post(() => _called.Enqueue("kept")));
        }

        Assert.False(_outbox.Post(() => _called.Enqueue("dropped")));
        Assert.False(_outbox.Post(() => _called.Enqueue("dropped")));
        Assert.Equal((2, 0), (_outbox.TakeDropped(), _outbox.TakeDropped()));
        _gate.Open();
        Flush();
        Assert.Equal(Outbox.Capacity, _called.Count(static text => text == "kept"));
        Assert.DoesNotContain("dropped", _called);
    }

    // Where it is posted the poster may hold locks.
    [Fact]
    public void Post_ByACall_IsCalledAfterThatHasReturnedAndBeforeTheFlushEnds()
    {
        _outbox.Post(() =>
        {
            _outbox.Post(() => _called.Enqueue("nested"));
            _called.Enqueue("end of the first");
        });
        Flush();
        Assert.Equal(["end of the first", "nested"], _called);
    }

    [Fact]
    public void Post_ByEachCallAnother_OthersHaveTheirTurn()
    {
        void Again()
        {
            if (!_gate.IsOpen)
            {
                _outbox.Post(Again);
            }
        }

        using var turn = new ManualResetEventSlim();
        _outbox.Post(Again);
        _outbox.Post(turn.Set);
        Wait.For(turn);
        _gate.Open();
        Flush();
    }

    [Fact]
    public void Flush_ACallDoesNotReturn_EndsAtTheLimit()
    {
        Occupy();
        Assert.False(_outbox.Flush(TimeSpan.Zero));
        var isFlushed = new TaskCompletionSource<bool>();
        _outbox.Post(() => isFlushed.SetResult(_outbox.Flush(Timeout.InfiniteTimeSpan)));
        _gate.Open();
        Assert.True(Wait.For(isFlushed.Task));
        Flush();
    }

    [Fact]
    public void Logger_MessagesWereDropped_SaysHowManyWithTheNextOne()
    {
        using var log = new RecordingLog();
        var logger = new OutboxLogger(log, _outbox);
        Occupy();
        for (var i = 0; i < Outbox.Capacity + 3; i++)
        {
            logger.Log(LogLevel.Warning, new EventId(i), "Text", null, static (text, _) => text);
        }

        _gate.Open();
        Flush();
        Assert.Equal(Outbox.Capacity + 1, log.Entries.Count);
        Assert.Equal((0, "Text"), log.Entries[0]);
        var (id, text) = log.Entries[1];
        Assert.Equal(800, id);
        Assert.StartsWith("3 log messages and notifications were dropped", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Logger_LevelIsNotWanted_IsAskedOnTheOutbox()
    {
        using var log = new RecordingLog(from: LogLevel.Error);
        var logger = new OutboxLogger(log, _outbox);
        Assert.True(logger.IsEnabled(LogLevel.Trace));
        logger.Log(LogLevel.Warning, default, "Text", null, static (text, _) => text);
        Flush();
        Assert.Empty(log.Entries);
    }

    private void Occupy()
    {
        using var isThere = new ManualResetEventSlim();
        _outbox.Post(() =>
        {
            isThere.Set();
            _gate.Pass();
        });
        Wait.For(isThere);
    }

    private void Flush() => Assert.True(_outbox.Flush(Wait.Limit));
}
