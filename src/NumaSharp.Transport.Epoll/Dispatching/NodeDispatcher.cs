using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Dispatching;

internal sealed class NodeDispatcher(NumaTaskScheduler scheduler, int nodeIndex) : CallbackDispatcher
{
    public override bool IsInline => false;

    public override void Queue(IThreadPoolWorkItem item) => scheduler.QueueOnNode(nodeIndex, item);
}
