using System.Collections.Concurrent;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>One queue for all, from outside and from inside.</summary>
internal readonly struct BlockingCollectionQueue(BlockingCollection<object> work) : IWorkQueue
{
    public void Queue(IThreadPoolWorkItem item) => work.Add(item);

    public void QueueInside(IThreadPoolWorkItem item) => work.Add(item);
}
