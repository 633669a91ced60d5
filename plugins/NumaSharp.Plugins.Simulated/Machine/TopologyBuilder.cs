using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Machine;

/// <summary>Builds the topology of a declaration. Pure.</summary>
internal static class TopologyBuilder
{
    public static NumaTopology Build(SimulatedMachineOptions options, Func<SimulatedNodeOptions, long> freeBytesOf)
    {
        var nodes = options.Nodes
            .Select(node => NodeFrom(node, options, freeBytesOf(node)))
            .Where(static node => !node.Cpus.IsEmpty || node.IsMemoryAllowed);
        return new NumaTopology(SimulatedMachine.ProviderName, nodes)
        {
            Cores = [.. CoresOf(options)],
            LastLevelCaches = [.. CachesOf(options)],
            IsolatedCpus = options.IsolatedCpus,
            NetworkDevices = [.. options.NetworkDevices.OrderBy(static device => device.Name, StringComparer.Ordinal)],
        };
    }

    private static NumaNode NodeFrom(SimulatedNodeOptions node, SimulatedMachineOptions options, long freeBytes)
    {
        var online = node.Cpus.Except(options.OfflineCpus);
        return new NumaNode
        {
            Id = node.NodeId,
            OnlineCpus = online,
            Cpus = options.AllowedCpus is { } allowed ? online.Intersect(allowed) : online,
            MemoryBytes = node.MemoryBytes,
            MemoryFreeBytes = freeBytes,
            IsMemoryAllowed = node.MemoryBytes > 0 && options.AllowedNodes?.Contains(node.NodeId.Value) != false,
            Kind = node.IsDevice ? NumaNodeKind.Device
                : node.MemoryBytes == 0 ? NumaNodeKind.Cpu
                : node.Cpus.IsEmpty ? NumaNodeKind.Memory
                : NumaNodeKind.Normal,
            MemoryTier = node.MemoryTier,
            Access = node.Access,
            HugePages = node.HugePages,
            Distances = options.Nodes.Zip(node.Distances)
                .ToDictionary(static pair => pair.First.NodeId, static pair => pair.Second),
        };
    }

    private static IEnumerable<NumaCore> CoresOf(SimulatedMachineOptions options)
    {
        var declared = options.Cores.Count > 0
            ? options.Cores.Select(core => (Package: PackageOf(core, options), Cpus: core))
            : options.Nodes.Index().SelectMany(node =>
                SiblingsOf(node.Item.Cpus, options.ThreadsPerCore).Select(core => (Package: (int?)node.Index, Cpus: core)));
        return declared
            .Select(static (core, index) => (core.Package, Id: index, core.Cpus))
            .Select(core => new NumaCore(core.Package, core.Id, core.Cpus.Except(options.OfflineCpus)))
            .Where(static core => !core.Cpus.IsEmpty);
    }

    private static int? PackageOf(CpuSet cpus, SimulatedMachineOptions options) =>
        options.Nodes.Index()
            .Where(node => node.Item.Cpus.Overlaps(cpus))
            .Select(static node => (int?)node.Index)
            .FirstOrDefault();

    private static IEnumerable<CpuSet> SiblingsOf(CpuSet cpus, int threads)
    {
        int[] ids = [.. cpus];
        var cores = ids.Length / threads;
        return Enumerable.Range(0, cores).Select(core =>
            CpuSet.FromIds([.. Enumerable.Range(0, threads).Select(thread => ids[(thread * cores) + core])]));
    }

    private static IEnumerable<NumaCache> CachesOf(SimulatedMachineOptions options) =>
        (options.LastLevelCaches.Count > 0 ? options.LastLevelCaches : options.Nodes.Select(static node => node.Cpus))
            .Select(cpus => new NumaCache(3, options.LastLevelCacheBytes, cpus.Except(options.OfflineCpus)))
            .Where(static cache => !cache.Cpus.IsEmpty);
}
