namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>Takes work items; a type of its own per engine, for which the loads are compiled.</summary>
internal interface IWorkQueue
{
    /// <summary>Queues an item from any thread.</summary>
    void Queue(IThreadPoolWorkItem item);

    /// <summary>Queues an item from one that runs, in the way that the engine has for it.</summary>
    void QueueInside(IThreadPoolWorkItem item);
}
