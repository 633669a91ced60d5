using NumaSharp.Core;

namespace NumaSharp.Scheduling;

// The last-level caches of a node that has several: workers steal first from those with the same cache.
internal sealed partial class WorkerGroup
{
    private NodeCaches? _caches;

    public bool HasCaches => Volatile.Read(ref _caches) is not null;

    /// <summary>The cache of the CPU that the calling thread runs on; -1 if unknown.</summary>
    public int CurrentCache() => Volatile.Read(ref _caches)?.Of(Scheduler.CurrentCpu()) ?? -1;

    private void SetCaches(NumaTopology topology) => Volatile.Write(ref _caches, NodeCaches.Of(topology, Node.Cpus));
}
