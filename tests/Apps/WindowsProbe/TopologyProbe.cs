using NumaSharp.Core;
using NumaSharp.Plugins.Windows;

namespace NumaSharp.WindowsProbe;

/// <summary>Nodes, CPUs, groups, cores, caches.</summary>
internal static class TopologyProbe
{
    private const int CpusPerGroup = 64;

    public static Task Run(Checks checks, bool hasCaches)
    {
        var topology = new WindowsTopologyProvider().Read();
        Print(topology);
        checks.That(topology.Source == "Windows", $"the source is Windows, not {topology.Source}");
        checks.That(topology.AllowedCpus.Count == Environment.ProcessorCount, "the CPUs are those that the runtime counts");
        checks.That(topology.AllowedCpus.Contains(Thread.GetCurrentProcessorId()), "the runtime's current CPU is one of them");
        checks.That(!topology.MemoryNodes.IsEmpty, "a node has memory");
        foreach (var node in topology.Nodes)
        {
            checks.That(node.Cpus.IsSubsetOf(node.OnlineCpus), $"allowed CPUs of node {node.NodeId} are online");
            checks.That(!node.IsMemoryAllowed || node.MemoryBytes > 0, $"node {node.NodeId} has bytes of memory");
            checks.That(node.MemoryFreeBytes <= node.MemoryBytes, $"node {node.NodeId} has not more free memory than memory");
        }

        foreach (var cpu in topology.AllowedCpus)
        {
            var core = topology.FindCore(cpu);
            checks.That(core is not null, $"CPU {cpu} is in a core");
            checks.That(core?.PackageId >= 0, $"CPU {cpu} is in a package");
            checks.That(topology.FindLastLevelCache(cpu)?.SizeBytes > 0 || !hasCaches, $"CPU {cpu} has a last-level cache");
        }

        checks.That(new WindowsTopologyProvider().Read().AllowedCpus.Equals(topology.AllowedCpus), "another reading is the same");
        return Task.CompletedTask;
    }

    private static void Print(NumaTopology topology)
    {
        foreach (var node in topology.Nodes)
        {
            Console.WriteLine(
                $"node {node.NodeId}: {node.Kind}, CPUs {node.Cpus} (online {node.OnlineCpus}), "
                + $"{node.MemoryBytes >> 20} MiB, {node.MemoryFreeBytes >> 20} MiB free");
        }

        foreach (var group in topology.AllowedCpus.GroupBy(static cpu => cpu / CpusPerGroup))
        {
            var members = CpuSet.FromIds(group.Select(static cpu => cpu % CpusPerGroup));
            Console.WriteLine($"processor group {group.Key}: CPUs {members}");
        }

        foreach (var core in topology.Cores)
        {
            Console.WriteLine($"package {core.PackageId} core {core.CoreId}: CPUs {core.Cpus}");
        }

        foreach (var cache in topology.LastLevelCaches)
        {
            Console.WriteLine($"L{cache.Level} cache of {cache.SizeBytes >> 10} KiB: CPUs {cache.Cpus}");
        }

        foreach (var warning in topology.Warnings)
        {
            Console.WriteLine($"warning: {warning}");
        }
    }
}
