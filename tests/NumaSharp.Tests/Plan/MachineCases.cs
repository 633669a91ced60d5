using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Random machines: gaps in ids, scattered CPUs, any distances, firmware that keeps things to itself.</summary>
internal static class MachineCases
{
    private const int Cpus = 48;

    public static NumaTopology Build(Dice dice)
    {
        var nodes = BuildNodes(dice);
        int[][][] coresOfNodes = [.. nodes.Select(node => node.Cpus.Chunk(dice.Of(1, 2, 4)).ToArray())];
        int[][] cores = dice.OneIn(5) ? [] : [.. coresOfNodes.SelectMany(static core => core)];
        return new NumaTopology("Test", nodes)
        {
            Cores = cores.Select(static (cpus, index) => new NumaCore(0, index, CpuSet.FromIds(cpus))).ToArray(),
            LastLevelCaches = BuildCaches(dice, coresOfNodes),
            IsolatedCpus = dice.OneIn(3)
                ? CpuSet.FromIds(Enumerable.Range(0, Cpus).Where(_ => dice.OneIn(3)))
                : CpuSet.Empty,
            NetworkDevices = Enumerable.Range(0, dice.Below(4))
                .Select(index => new NumaNetworkDevice(
                    $"eth{index}", dice.OneIn(4) ? null : new NumaNodeId(dice.Of([999, .. nodes.Select(Id)]))))
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
    public static NumaTopology Without(Dice dice, NumaTopology topology)
    {
        var one = topology.AllowedCpus.Skip(dice.Below(topology.AllowedCpus.Count)).First();
        var cpus = CpuSet.FromIds(topology.AllowedCpus.Where(cpu => cpu == one || !dice.OneIn(3)));
        var gone = dice.OneIn(2) ? -1 : dice.Of([.. topology.Nodes.Select(Id)]);
        var memory = topology.MemoryNodes.Skip(dice.Below(topology.MemoryNodes.Count)).First();
        var nodes = topology.Nodes.Select(node => node with
        {
            Cpus = node.NodeId == gone && !node.Cpus.Contains(one) ? CpuSet.Empty : node.Cpus.Intersect(cpus),
            OnlineCpus = node.OnlineCpus.Intersect(cpus),
            IsMemoryAllowed = node.IsMemoryAllowed && (node.NodeId == memory || !dice.OneIn(3)),
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
            IsolatedCpus = dice.OneIn(4) ? CpuSet.Empty : topology.IsolatedCpus,
            NetworkDevices = [.. topology.NetworkDevices.Where(_ => !dice.OneIn(4))],
        };
    }

    private static int Id(NumaNode node) => node.NodeId;

    private static NumaNode[] BuildNodes(Dice dice)
    {
        var ids = new int[1 + dice.Below(8)];
        for (var i = 0; i < ids.Length; i++)
        {
            ids[i] = i == 0 ? dice.Below(40) : ids[i - 1] + 1 + dice.Below(40);
        }

        // Some nodes get many CPUs, some none.
        var owners = Enumerable.Range(0, Cpus).Select(cpu => cpu == 0 ? 0 : dice.Below(ids.Length + 2) - 1).ToArray();
        var hasTiers = dice.OneIn(2);
        var hasBandwidth = dice.OneIn(2);
        var hasDistances = !dice.OneIn(6);
        return
        [
            .. ids.Select((id, index) =>
            {
                var cpus = dice.OneIn(3) && index > 0 ? CpuSet.Empty
                    : CpuSet.FromIds(Enumerable.Range(0, Cpus).Where(cpu => owners[cpu] == index));
                return new NumaNode
                {
                    Id = new(id),
                    Cpus = cpus,
                    OnlineCpus = cpus,
                    IsMemoryAllowed = index == 0 || !dice.OneIn(4),
                    Kind = cpus.IsEmpty && dice.OneIn(4) ? NumaNodeKind.Device : NumaNodeKind.Normal,
                    MemoryTier = hasTiers ? dice.Of<int?>(null, 4, 4, 22, 2) : null,
                    Access = hasBandwidth && !dice.OneIn(9) ? [Access(dice)] : [],
                    Distances = hasDistances
                        ? ids.ToDictionary(
                            static other => new NumaNodeId(other), other => other == id ? 10 : 10 + dice.Below(246))
                        : new Dictionary<NumaNodeId, int>(),
                };
            }),
        ];
    }

    private static NumaMemoryAccess Access(Dice dice) =>
        new(dice.Below(2), CpuSet.FromIds(0), 100, 100, dice.Below(300_000), dice.OneIn(4) ? null : dice.Below(300_000));

    private static NumaCache[] BuildCaches(Dice dice, int[][][] coresOfNodes)
    {
        // Some firmware reports one cache over all nodes.
        IEnumerable<int[][]> groups = dice.Below(6) switch
        {
            0 => [],
            1 => [[.. coresOfNodes.SelectMany(static cores => cores)]],
            _ => coresOfNodes.SelectMany(cores => cores.Chunk(dice.Of(2, 3, 12))),
        };
        return [.. groups.Select(static cores => new NumaCache(3, 0, CpuSet.FromIds(cores.SelectMany(static cpus => cpus))))];
    }
}
