namespace NumaSharp.Transport.Epoll.Dispatching;

internal sealed class ThreadPoolDispatcher : CallbackDispatcher
{
    public override bool IsInline => false;

    public override bool IsHome => Thread.CurrentThread.IsThreadPoolThread;

    public override void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
}
