namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>The thread pool's global queue, and the local one of a thread from inside.</summary>
internal readonly struct PoolQueue : IWorkQueue
{
    public void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

    public void QueueInside(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: true);
}
