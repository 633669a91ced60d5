using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Dispatching;

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
