namespace NumaSharp.Transport.Epoll.Dispatching;

/// <summary>Decides where a connection's application code runs when data has arrived.</summary>
internal abstract class CallbackDispatcher
{
    /// <summary>Whether it runs on the loop's thread, within the callback; then <see cref="Queue"/> is not used.</summary>
    public abstract bool IsInline { get; }

    /// <summary>Whether the calling thread is one of those that <see cref="Queue"/> runs items on.</summary>
    public abstract bool IsHome { get; }

    /// <summary>Whether those threads are neither the loop's nor the .NET thread pool's.</summary>
    public virtual bool HasOwnThreads => false;

    /// <summary>Runs the item elsewhere.</summary>
    public abstract void Queue(IThreadPoolWorkItem item);
}
