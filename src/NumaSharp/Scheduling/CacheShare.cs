using System.Collections.Immutable;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Scheduling;

/// <summary>The workers of a node that share a last-level cache, or all of them. Immutable.</summary>
/// <param name="Cpus">The CPUs that share it, of those in the plan; all of the node's if it is not divided.</param>
/// <param name="Threads">The positions of the workers in the node's plan.</param>
internal sealed record CacheShare(CpuSet Cpus, ImmutableArray<int> Threads)
{
    // Fewer gain nothing from a queue of their own, and have to search others for work all the time.
    private const int LeastThreads = 2;

    /// <summary>
    /// Divides a node's workers by cache: those that the plan pins to parts of a cache, or to all of it. The few others, if
    /// several caches have workers, belong to one of them, too.
    /// </summary>
    public static ImmutableArray<CacheShare> Divide(NumaTopology topology, NumaNodePlan node)
    {
        CpuSet[] caches =
        [
            .. node.ThreadCpus.Select(topology.FindSharedCache).OfType<NumaCache>()
                .CountBy(static cache => cache)
                .Where(static cache => cache.Value >= LeastThreads)
                .Select(cache => cache.Key.Cpus.Intersect(node.Cpus)),
        ];
        return caches.Length < 2 ? [All(node)] : Divide(topology, node, caches);
    }

    /// <summary>
    /// Divides the workers of a changed plan over the same caches, which may have other CPUs by now, or none: those of other
    /// caches take their place.
    /// </summary>
    public static ImmutableArray<CacheShare> Follow(
        NumaTopology topology, NumaNodePlan node, IReadOnlyList<CpuSet> cachesAtStart) =>
        cachesAtStart.Count == 1
            ? [All(node)]
            : Divide(topology, node, [.. cachesAtStart.Select(cache => Today(topology, cache).Intersect(node.Cpus))]);

    private static ImmutableArray<CacheShare> Divide(NumaTopology topology, NumaNodePlan node, CpuSet[] caches)
    {
        CpuSet[] cpus = [.. caches];
        var threads = caches.Select(static _ => new List<int>()).ToArray();
        var others = new List<int>();
        for (var thread = 0; thread < node.ThreadCpus.Count; thread++)
        {
            var index = Array.FindIndex(caches, cache => node.ThreadCpus[thread].IsSubsetOf(cache));
            (index < 0 ? others : threads[index]).Add(thread);
        }

        // The workers of another cache stay together.
        var byCache = others.ToLookup(thread => topology.FindSharedCache(node.ThreadCpus[thread]));
        foreach (var ofCache in byCache.Where(static each => each.Key is not null).OrderByDescending(static each => each.Count()))
        {
            var index = Enumerable.Range(0, caches.Length).MinBy(share => threads[share].Count);
            threads[index].AddRange(ofCache);
            cpus[index] = cpus[index].Union(ofCache.Key!.Cpus.Intersect(node.Cpus));
        }

        // Those that may roam are divided by the number of CPUs, to which they add none: the others of their group do not roam.
        foreach (var thread in byCache[null])
        {
            var index = Enumerable.Range(0, caches.Length).MinBy(share =>
                cpus[share].IsEmpty ? double.MaxValue : (threads[share].Count + 1.0) / cpus[share].Count);
            threads[index].Add(thread);
        }

        return
        [
            .. threads.Zip(cpus, (share, cache) =>
                new CacheShare(cache.IsEmpty && share.Count > 0 ? node.Cpus : cache, [.. share.Order()])),
        ];
    }

    // With CPUs that have come online since.
    private static CpuSet Today(NumaTopology topology, CpuSet cache) =>
        CpuSet.UnionOf(cache.Select(topology.FindLastLevelCache).OfType<NumaCache>().Distinct().Select(static one => one.Cpus));

    private static CacheShare All(NumaNodePlan node) => new(node.Cpus, [.. Enumerable.Range(0, node.Threads)]);
}

/// <summary>
/// Where the workers of a group run, by slot. Replaced whenever they must be pinned again, as <see cref="NodePlacement"/>.
/// Thread-safe.
/// </summary>
internal sealed class GroupPlacement(NodePlacement node, CacheShare share)
{
    public NumaNodePlan Node => node.Node;

    public CpuSet Cpus => share.Cpus;

    /// <summary>How many workers the plan wants.</summary>
    public int Threads => share.Threads.Length;

    /// <summary>Pins the calling thread; one beyond the plan's runs wherever the kernel balances threads.</summary>
    public void PinWorker(int slot)
    {
        if (slot < Threads)
        {
            node.PinWorker(share.Threads[slot]);
        }
        else
        {
            node.PinSpare(share.Cpus);
        }
    }

    /// <summary>The CPUs of a worker; <see langword="null"/> for one beyond the plan's, and where nothing is pinned.</summary>
    public CpuSet? CpusOf(int slot) => slot < Threads ? node.CpusOf(share.Threads[slot]) : null;

    /// <summary>Moves the calling thread to some of its CPUs, then lets it run on all of them again.</summary>
    public void MoveTo(CpuSet cpus, int slot) => node.MoveTo(cpus, share.Threads[slot]);
}
