using NumaSharp.Scheduling;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Engines;

/// <summary>From outside to the nodes in turn, from inside to the worker's own.</summary>
internal readonly struct NumaQueue(NumaTaskScheduler scheduler) : IWorkQueue
{
    [ThreadStatic]
    private static uint t_turn;

    private readonly int _nodes = scheduler.Plan.Nodes.Count;

    public void Queue(IThreadPoolWorkItem item) =>
        scheduler.QueueOnNode(_nodes == 1 ? 0 : (int)(t_turn++ % (uint)_nodes), item);

    public void QueueInside(IThreadPoolWorkItem item) =>
        scheduler.QueueOnNode(_nodes == 1 ? 0 : NumaTaskScheduler.CurrentNodeIndex, item);
}
