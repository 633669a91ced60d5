using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>A machine that is made up: what its files say, and what a reading of them must say.</summary>
internal sealed record MachineShape(IReadOnlyList<ShapedCore> Cores)
{
    private const long Gibibyte = 1L << 20;

    public CpuSet Offline { get; init; } = CpuSet.Empty;

    public IReadOnlyList<int> NodeIds => [.. Cores.Select(static core => core.Node).Distinct().Order()];

    public CpuSet Online => Cores.Aggregate(CpuSet.Empty, static (all, core) => all.Union(core.Cpus)).Except(Offline);

    /// <summary>All sockets alike. The second threads of all cores follow after all first ones, as on Intel.</summary>
    public static MachineShape Uniform(
        int packages, int nodesPerPackage, int cachesPerNode, int coresPerCache, int threads, int nodeStep = 1)
    {
        var cores = packages * nodesPerPackage * cachesPerNode * coresPerCache;
        return new MachineShape(
        [
            .. Enumerable.Range(0, cores).Select(core =>
            {
                var cache = core / coresPerCache;
                var node = cache / cachesPerNode;
                var cpus = CpuSet.FromIds(Enumerable.Range(0, threads).Select(thread => core + (thread * cores)));
                return new ShapedCore(node * nodeStep, node / nodesPerPackage, cache, cpus);
            }),
        ]);
    }

    /// <summary>Writes it; for large machines only what a reader that skips siblings opens.</summary>
    public MachineTree Write(MachineTree tree, bool leadersOnly = false)
    {
        tree.Write(MachineTree.CpuOnline, $"{Online}\n").Write(MachineTree.NodeOnline, $"{CpuSet.FromIds(NodeIds)}\n");
        foreach (var node in NodeIds)
        {
            var cpus = CpusOf(core => core.Node == node).Except(Offline);
            var distances = NodeIds.Select(to => to == node ? "10" : "21");
            tree.Node(node, cpus.ToMaskString(), cpus.ToString(), Gibibyte, string.Join(' ', distances))
                .HugePages($"{MachineTree.NodeFolder(node)}/hugepages", 2048, node, node);
        }

        var caches = Cores.GroupBy(static core => core.Cache).ToDictionary(
            static cache => cache.Key, static cache => cache.Aggregate(CpuSet.Empty, static (all, core) => all.Union(core.Cpus)));
        foreach (var (core, number) in Cores.Select(static (core, number) => (core, number)))
        {
            var online = core.Cpus.Except(Offline);
            foreach (var cpu in leadersOnly ? online.Take(1) : online)
            {
                tree.Cpu(cpu, core.Package, number, core.Cpus.ToString());
                if (!leadersOnly)
                {
                    WriteInnerCaches(tree, cpu, core);
                }

                if (!leadersOnly || caches[core.Cache].Except(Offline).First == cpu)
                {
                    tree.Cache(cpu, 3, 3, "Unified", "32768K", caches[core.Cache].ToString());
                }
            }
        }

        return tree;
    }

    public IEnumerable<string> ExpectedCores() => Cores
        .Select((core, number) => (core.Package, Number: number, Cpus: core.Cpus.Except(Offline)))
        .Where(static core => !core.Cpus.IsEmpty)
        .OrderBy(static core => core.Cpus.First)
        .Select(static core => $"{core.Package}/{core.Number}:{core.Cpus}");

    public IEnumerable<string> ExpectedCaches() => Cores.Select(static core => core.Cache).Distinct()
        .Select(cache => CpusOf(core => core.Cache == cache).Except(Offline))
        .Where(static cpus => !cpus.IsEmpty)
        .OrderBy(static cpus => cpus.First)
        .Select(static cpus => cpus.ToString());

    public IEnumerable<string> ExpectedNodes() =>
        NodeIds.Select(node => string.Create(
            CultureInfo.InvariantCulture, $"{node}:{CpusOf(core => core.Node == node).Except(Offline)}"));

    private CpuSet CpusOf(Func<ShapedCore, bool> isMember) =>
        Cores.Where(isMember).Aggregate(CpuSet.Empty, static (all, core) => all.Union(core.Cpus));

    private static void WriteInnerCaches(MachineTree tree, int cpu, ShapedCore core) => tree
        .Cache(cpu, 0, 1, "Data", "32K", core.Cpus.ToString())
        .Cache(cpu, 1, 1, "Instruction", "32K", core.Cpus.ToString())
        .Cache(cpu, 2, 2, "Unified", "1024K", core.Cpus.ToString());
}

/// <summary>A core of a machine that is made up.</summary>
/// <param name="Node">The id of its node.</param>
/// <param name="Package">Its socket.</param>
/// <param name="Cache">Which last-level cache it shares.</param>
/// <param name="Cpus">Its threads, online or not.</param>
internal sealed record ShapedCore(int Node, int Package, int Cache, CpuSet Cpus);
