namespace NumaSharp.EventLoop;

/// <summary>
/// An intrusive queue with many producers and one consumer at a time: producers push on a stack, the consumer takes the whole
/// stack and reverses it. Taking everything at once leaves no room for ABA, and nothing is allocated.
/// </summary>
internal struct PostQueue
{
    private EventLoopHandler? _top;

    public readonly bool IsEmpty => Volatile.Read(in _top) is null;

    /// <summary>Adds a handler unless it is queued already; a full fence either way.</summary>
    public void Push(EventLoopHandler handler)
    {
        if (!handler.TryMarkQueued())
        {
            return;
        }

        EventLoopHandler? top;
        do
        {
            top = Volatile.Read(ref _top);
            handler.NextPosted = top;
        }
        while (Interlocked.CompareExchange(ref _top, handler, top) != top);
    }

    /// <summary>Takes all handlers as a list in the order of their posts.</summary>
    public EventLoopHandler? TakeAll()
    {
        if (IsEmpty)
        {
            return null;
        }

        var newest = Interlocked.Exchange(ref _top, null);
        EventLoopHandler? first = null;
        while (newest is not null)
        {
            var older = newest.NextPosted;
            newest.NextPosted = first;
            first = newest;
            newest = older;
        }

        return first;
    }
}
