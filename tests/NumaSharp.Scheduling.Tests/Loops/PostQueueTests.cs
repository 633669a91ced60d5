using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class PostQueueTests
{
    private PostQueue _queue;

    [Fact]
    public void TakeAll_SeveralPushed_KeepsTheirOrder()
    {
        var handlers = Enumerable.Range(0, 5).Select(static _ => new RecordingHandler()).ToArray();
        foreach (var handler in handlers)
        {
            _queue.Push(handler);
        }

        Assert.Equal(handlers, Drain());
        Assert.True(_queue.IsEmpty);
    }

    [Fact]
    public void Push_AlreadyQueued_IsQueuedOnce()
    {
        var handler = new RecordingHandler();
        _queue.Push(handler);
        _queue.Push(handler);

        Assert.Single(Drain());
    }

    [Fact]
    public void Push_AfterTaken_IsQueuedAgain()
    {
        var handler = new RecordingHandler();
        _queue.Push(handler);
        _ = Drain();
        _queue.Push(handler);

        Assert.Single(Drain());
    }

    private List<EventLoopHandler> Drain()
    {
        var drained = new List<EventLoopHandler>();
        for (var handler = _queue.TakeAll(); handler is not null;)
        {
            var next = handler.NextPosted;
            handler.MarkTaken();
            drained.Add(handler);
            handler = next;
        }

        return drained;
    }
}
