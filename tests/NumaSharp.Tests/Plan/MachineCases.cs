using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Random machines: gaps in ids, scattered CPUs, any distances, firmware that keeps things to itself.</summary>
internal static class MachineCases
{
    private const int Cpus = 48;

    public static NumaTopology Build(RandomChoices random)
    {
        var nodes = BuildNodes(random);
        int[][][] coresOfNodes = [.. nodes.Select(node => node.Cpus.Chunk(random.Of(1, 2, 4)).ToArray())];
        int[][] cores = random.OneIn(5) ? [] : [.. coresOfNodes.SelectMany(static core => core)];
        return new NumaTopology("Test", nodes)
        {
            Cores = cores.Select(static (cpus, index) => new NumaCore(0, index, CpuSet.FromIds(cpus))).ToArray(),
            LastLevelCaches = BuildCaches(random, coresOfNodes),
            IsolatedCpus = random.OneIn(3)
                ? CpuSet.FromIds(Enumerable.Range(0, Cpus).Where(_ => random.OneIn(3)))
                : CpuSet.Empty,
            NetworkDevices = Enumerable.Range(0, random.Below(4))
                .Select(index => new NumaNetworkDevice(
                    $"eth{index}", random.OneIn(4) ? null : new NumaNodeId(random.Of([999, .. nodes.Select(Id)]))))
                .ToArray(),
        };
    }

    public static NumaTopology Reversed(NumaTopology topology) => new(topology.Source, topology.Nodes.Reverse())
    {
        Cores = topology.Cores.Reverse().ToArray(),
        LastLevelCaches = topology.LastLevelCaches.Reverse().ToArray(),
        IsolatedCpus = topology.IsolatedCpus,
        NetworkDevices = topology.NetworkDevices,
    };

    /// <summary>The same machine without some of its CPUs, memory and interfaces; one CPU and one memory stay.</summary>
    public static NumaTopology Without(RandomChoices random, NumaTopology topology)
    {
        var one = topology.AllowedCpus.Skip(random.Below(topology.AllowedCpus.Count)).First();
        var cpus = CpuSet.FromIds(topology.AllowedCpus.Where(cpu => cpu == one || !random.OneIn(3)));
        var gone = random.OneIn(2) ? -1 : random.Of([.. topology.Nodes.Select(Id)]);
        var memory = topology.MemoryNodes.Skip(random.Below(topology.MemoryNodes.Count)).First();
        var nodes = topology.Nodes.Select(node => node with
        {
            Cpus = node.NodeId == gone && !node.Cpus.Contains(one) ? CpuSet.Empty : node.Cpus.Intersect(cpus),
            OnlineCpus = node.OnlineCpus.Intersect(cpus),
            IsMemoryAllowed = node.IsMemoryAllowed && (node.NodeId == memory || !random.OneIn(3)),
        });
        return new NumaTopology(topology.Source, nodes.Where(static node => node.IsMemoryAllowed || !node.Cpus.IsEmpty))
        {
            Cores =
            [
                .. topology.Cores.Select(core => core with { Cpus = core.Cpus.Intersect(cpus) })
                    .Where(static core => !core.Cpus.IsEmpty),
            ],
            LastLevelCaches =
            [
                .. topology.LastLevelCaches.Select(cache => cache with { Cpus = cache.Cpus.Intersect(cpus) })
                    .Where(static cache => !cache.Cpus.IsEmpty),
            ],
            IsolatedCpus = random.OneIn(4) ? CpuSet.Empty : topology.IsolatedCpus,
            NetworkDevices = [.. topology.NetworkDevices.Where(_ => !random.OneIn(4))],
        };
    }

    private static int Id(NumaNode node) => node.NodeId;

    private static NumaNode[] BuildNodes(RandomChoices random)
    {
        var ids = new int[1 + random.Below(8)];
        for (var i = 0; i < ids.Length; i++)
        {
            ids[i] = i == 0 ? random.Below(40) : ids[i - 1] + 1 + random.Below(40);
        }

        // Some nodes get many CPUs, some none.
        var owners = Enumerable.Range(0, Cpus).Select(cpu => cpu == 0 ? 0 : random.Below(ids.Length + 2) - 1).ToArray();
        var hasTiers = random.OneIn(2);
        var hasBandwidth = random.OneIn(2);
        var hasDistances = !random.OneIn(6);
        return
        [
            .. ids.Select((id, index) =>
            {
                var cpus = random.OneIn(3) && index > 0 ? CpuSet.Empty
                    : CpuSet.FromIds(Enumerable.Range(0, Cpus).Where(cpu => owners[cpu] == index));
                return new NumaNode
                {
                    Id = new(id),
                    Cpus = cpus,
                    OnlineCpus = cpus,
                    IsMemoryAllowed = index == 0 || !random.OneIn(4),
                    Kind = cpus.IsEmpty && random.OneIn(4) ? NumaNodeKind.Device : NumaNodeKind.Normal,
                    MemoryTier = hasTiers ? random.Of<int?>(null, 4, 4, 22, 2) : null,
                    Access = hasBandwidth && !random.OneIn(9) ? [Access(random)] : [],
                    Distances = hasDistances
                        ? ids.ToDictionary(
                            static other => new NumaNodeId(other), other => other == id ? 10 : 10 + random.Below(246))
                        : new Dictionary<NumaNodeId, int>(),
                };
            }),
        ];
    }

    private static NumaMemoryAccess Access(RandomChoices random) =>
        new(random.Below(2), CpuSet.FromIds(0))
        {
            ReadLatency = 100,
            WriteLatency = 100,
            ReadBandwidth = random.Below(300_000),
            WriteBandwidth = random.OneIn(4) ? null : random.Below(300_000),
        };

    private static NumaCache[] BuildCaches(RandomChoices random, int[][][] coresOfNodes)
    {
        // Some firmware reports one cache over all nodes.
        IEnumerable<int[][]> groups = random.Below(6) switch
        {
            0 => [],
            1 => [[.. coresOfNodes.SelectMany(static cores => cores)]],
            _ => coresOfNodes.SelectMany(cores => cores.Chunk(random.Of(2, 3, 12))),
        };

        // And some of it says nothing about the caches of some CPUs.
        var leavesOut = random.OneIn(4);
        return
        [
            .. groups.Where(_ => !leavesOut || !random.OneIn(4))
                .Select(static cores => new NumaCache(3, 0, CpuSet.FromIds(cores.SelectMany(static cpus => cpus)))),
        ];
    }
}
