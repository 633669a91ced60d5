using NumaSharp.Scheduling;

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

internal sealed class NodeDispatcher(NumaTaskScheduler scheduler, int nodeIndex) : CallbackDispatcher
{
    public override bool IsInline => false;

    public override bool IsHome => NumaTaskScheduler.CurrentNodeIndex == nodeIndex;

    public override bool HasOwnThreads => true;

    public override void Queue(IThreadPoolWorkItem item)
    {
        try
        {
            scheduler.QueueOnNode(nodeIndex, item);
        }
        catch (ObjectDisposedException)
        {
            // The scheduler ended before the connection; a read that was announced must still be delivered.
            ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
        }
    }
}

internal sealed class InlineDispatcher : CallbackDispatcher
{
    public override bool IsInline => true;

    // The loop knows which thread that is.
    public override bool IsHome => false;

    public override void Queue(IThreadPoolWorkItem item) => item.Execute();
}

internal sealed class ThreadPoolDispatcher : CallbackDispatcher
{
    public override bool IsInline => false;

    public override bool IsHome => Thread.CurrentThread.IsThreadPoolThread;

    public override void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
}
