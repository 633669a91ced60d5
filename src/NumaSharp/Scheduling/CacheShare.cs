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
    /// Divides a node's workers by cache, if each of them stays in one: the plan pins them to parts of a cache, or to all of it.
    /// </summary>
    public static ImmutableArray<CacheShare> Divide(NumaTopology topology, NumaNodePlan node)
    {
        var caches = node.ThreadCpus.Select(topology.FindSharedCache).ToArray();
        var shares = caches.Index()
            .Where(static thread => thread.Item is not null)
            .GroupBy(static thread => thread.Item!.Cpus.First, static thread => thread)
            .Select(cache => new CacheShare(
                cache.First().Item!.Cpus.Intersect(node.Cpus), [.. cache.Select(static thread => thread.Index)]))
            .ToImmutableArray();
        return shares.Length < 2 || caches.Contains(null) || shares.Any(static share => share.Threads.Length < LeastThreads)
            ? [All(node)]
            : shares;
    }

    /// <summary>
    /// Divides the workers of a changed plan over the same caches, which may have other CPUs by now. Workers that stay in none of
    /// them, because they may roam or their cache is a new one, are divided by the number of CPUs.
    /// </summary>
    public static ImmutableArray<CacheShare> Follow(
        NumaTopology topology, NumaNodePlan node, IReadOnlyList<CpuSet> cachesAtStart)
    {
        if (cachesAtStart.Count == 1)
        {
            return [All(node)];
        }

        var cpus = cachesAtStart.Select(cache => Today(topology, cache).Intersect(node.Cpus)).ToArray();
        var threads = cpus.Select(static _ => new List<int>()).ToArray();
        var others = new List<int>();
        for (var thread = 0; thread < node.ThreadCpus.Count; thread++)
        {
            var index = Array.FindIndex(cpus, cache => node.ThreadCpus[thread].IsSubsetOf(cache));
            (index < 0 ? others : threads[index]).Add(thread);
        }

        var known = cpus.Aggregate(static (all, cache) => all.Union(cache));
        foreach (var thread in others)
        {
            var index = Enumerable.Range(0, cpus.Length)
                .MinBy(share => cpus[share].IsEmpty ? double.MaxValue : (threads[share].Count + 1.0) / cpus[share].Count);
            threads[index].Add(thread);
            cpus[index] = cpus[index].Union(node.ThreadCpus[thread].Except(known));
        }

        return [.. threads.Zip(cpus, static (share, cache) => new CacheShare(cache, [.. share]))];
    }

    // With CPUs that have come online since.
    private static CpuSet Today(NumaTopology topology, CpuSet cache) =>
        cache.Select(topology.FindLastLevelCache).OfType<NumaCache>().Distinct()
            .Aggregate(CpuSet.Empty, static (all, one) => all.Union(one.Cpus));

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
