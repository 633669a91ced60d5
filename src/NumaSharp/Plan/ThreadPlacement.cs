using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>Gives each thread of a node its CPUs.</summary>
internal sealed class ThreadPlacement
{
    // Smaller ones are what a virtual machine shows that gives each of its CPUs a cache, or a cpuset that has cut through them.
    // Auto keeps threads in caches if several are larger, and at most a quarter of the CPUs is in others or has none.
    private const int LeastCpusPerCache = 4;
    private const int MostInSmallCaches = 4;

    private readonly NumaTopology _topology;
    private readonly NumaAffinityGranularity _granularity;
    private readonly List<Place> _places = [];

    /// <param name="topology">The machine.</param>
    /// <param name="granularity">How many CPUs a thread gets.</param>
    /// <param name="cpus">The CPUs of the node that the plan uses; at least one.</param>
    public ThreadPlacement(NumaTopology topology, NumaAffinityGranularity granularity, CpuSet cpus)
    {
        _topology = topology;

        // CPUs without a known cache count as sharing one.
        var balanced = cpus.Except(topology.IsolatedCpus);
        var caches = cpus.GroupBy(cpu => topology.FindLastLevelCache(cpu)?.Cpus.First ?? -1)
            .Select(cache => (Cpus: CpuSet.FromIds(cache), IsKnown: cache.Key >= 0, Balanced: cache.Count(balanced.Contains)))
            .Select(static cache => (cache.Cpus, cache.Balanced, IsLarge: cache.IsKnown && cache.Balanced >= LeastCpusPerCache))
            .ToArray();
        var inSmall = caches.Where(static cache => !cache.IsLarge).Sum(static cache => cache.Balanced);
        var isAuto = granularity == NumaAffinityGranularity.Auto;
        var isByCache = caches.Count(static cache => cache.IsLarge) > 1 && inSmall * MostInSmallCaches <= balanced.Count;
        _granularity = !isAuto ? granularity : isByCache ? NumaAffinityGranularity.Cache : NumaAffinityGranularity.Node;
        foreach (var (index, cache) in caches.Index())
        {
            // The few CPUs that a cpuset has left of a cache: a thread that had to stay there would wait for them.
            AddCache(index, cache.Cpus, isRest: isAuto && isByCache && !cache.IsLarge);
        }

        if (isAuto && isByCache && inSmall > 0)
        {
            _places.Add(new Place(balanced, inSmall, 0, 0, caches.Length));
        }

        if (_granularity == NumaAffinityGranularity.Node && !balanced.IsEmpty)
        {
            _places.Add(Place.Shared(balanced, 0));
        }
    }

    /// <summary>Takes the least loaded place for each thread; of several, one on another core, then in another cache.</summary>
    public ImmutableArray<CpuSet> Spread(int threads)
    {
        Place[] places = [.. _places.OrderBy(static p => p.Sibling).ThenBy(static p => p.Core).ThenBy(static p => p.Cache)];
        var taken = new int[places.Length];
        var queue = new PriorityQueue<int, (double Load, int Order)>(
            places.Select(static (place, index) => (index, (1.0 / place.Seats, index))));
        var result = ImmutableArray.CreateBuilder<CpuSet>(threads);
        while (result.Count < threads)
        {
            var index = queue.Peek();
            var place = places[index];
            result.Add(place.Cpus);
            taken[index]++;
            queue.DequeueEnqueue(index, ((taken[index] + 1.0) / place.Seats, index));
        }

        return result.MoveToImmutable();
    }

    /// <summary>
    /// The places of loops in the order of their CPUs: a run of CPUs has a run of loops then, and the program that steers
    /// connections needs a step for each run. A loop that may run in several caches is behind those that stay in one of them: it
    /// gets what these leave.
    /// </summary>
    public static ImmutableArray<CpuSet> InOrder(ImmutableArray<CpuSet> loops) =>
        [.. loops.OrderBy(static cpus => cpus.Last).ThenBy(static cpus => cpus.Count)];

    private void AddCache(int index, CpuSet cpus, bool isRest)
    {
        foreach (var (core, siblings) in cpus.GroupBy(cpu => _topology.FindCore(cpu)?.Cpus.First ?? cpu).Index())
        {
            // A core without a place of its own makes no sets: one takes as much memory as its largest id is large.
            if (_granularity >= NumaAffinityGranularity.Core || siblings.Any(_topology.IsolatedCpus.Contains))
            {
                AddCore(index, core, CpuSet.FromIds(siblings));
            }
        }

        var balanced = cpus.Except(_topology.IsolatedCpus);
        if (_granularity == NumaAffinityGranularity.Cache && !isRest && !balanced.IsEmpty)
        {
            _places.Add(Place.Shared(balanced, index));
        }
    }

    private void AddCore(int cache, int core, CpuSet cpus)
    {
        var singles = _granularity == NumaAffinityGranularity.Cpu ? cpus : cpus.Intersect(_topology.IsolatedCpus);
        var shared = cpus.Except(singles);
        var sibling = 0;
        if (!shared.IsEmpty && _granularity == NumaAffinityGranularity.Core)
        {
            _places.Add(new Place(shared, 1, sibling++, core, cache));
        }

        foreach (var cpu in singles)
        {
            _places.Add(new Place(CpuSet.FromIds(cpu), 1, sibling++, core, cache));
        }
    }

    /// <summary>CPUs that threads are pinned to together.</summary>
    /// <param name="Cpus">The CPUs.</param>
    /// <param name="Seats">How many threads are an even load.</param>
    /// <param name="Sibling">Its position within its core.</param>
    /// <param name="Core">The core's position within its cache.</param>
    /// <param name="Cache">The cache's position on the node.</param>
    private sealed record Place(CpuSet Cpus, int Seats, int Sibling, int Core, int Cache)
    {
        public static Place Shared(CpuSet cpus, int cache) => new(cpus, cpus.Count, 0, 0, cache);
    }
}
