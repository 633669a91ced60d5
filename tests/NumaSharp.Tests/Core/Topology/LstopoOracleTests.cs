using System.Xml.Linq;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>The real machines' cores, packages, caches and huge pages as we read them and as the installed hwloc does.</summary>
public sealed class LstopoOracleTests(RealMachines machines)
{
    private const int FirstGpuNode = 250;

    [Theory]
    [MemberData(nameof(RealMachineTests.Machines), MemberType = typeof(RealMachineTests))]
    public async Task Read_RealMachine_AgreesWithLstopo(string machine)
    {
        var topology = machines.Read(machine);
        var lstopo = await Lstopo.ReadAsync(machines.Find(machine));
        TestContext.Current.TestOutputHelper?.WriteLine(string.Join('\n', topology.Warnings));
        Assert.Equal(CoresOf(lstopo), topology.Cores.Select(static core => (core.PackageId, core.CoreId, core.Cpus.ToString())));
        Assert.Equal(
            CachesOf(lstopo),
            topology.LastLevelCaches.Select(static cache => (cache.Level, cache.SizeBytes, cache.Cpus.ToString())));
        foreach (var node in topology.Nodes.Where(node => HasPools(machine, node.NodeId)))
        {
            Assert.Equal(
                HugePagesOf(lstopo, node.NodeId), node.HugePages.Select(static pool => (pool.PageBytes, pool.Total)));
        }
    }

    // hwloc does not read the pools of kernels that show them in meminfo only, nor those of GPU memory.
    private bool HasPools(string machine, int nodeId)
    {
        var nodes = Path.Join(machines.Find(machine), "sys", "devices", "system", "node");
        return !Directory.Exists(nodes)
            || (nodeId < FirstGpuNode && Directory.Exists(Path.Join(nodes, $"node{nodeId}", "hugepages")));
    }

    private static IEnumerable<(int, int, string)> CoresOf(XElement lstopo) =>
        lstopo.Descendants("object")
            .Where(static element => Lstopo.TypeOf(element) == "Core")
            .OrderBy(static core => Lstopo.CpusOf(core).First)
            .Select(static core => (PackageOf(core), Lstopo.IndexOf(core), Lstopo.CpusOf(core).ToString()));

    private static int PackageOf(XElement core) =>
        core.Ancestors("object").FirstOrDefault(static element => Lstopo.TypeOf(element) == "Package") is { } package
            ? Lstopo.IndexOf(package)
            : -1;

    // Instruction caches have names of their own. Of nested caches the outermost is the last level.
    private static IEnumerable<(int, long, string)> CachesOf(XElement lstopo) =>
        lstopo.Descendants("object")
            .Where(static element => IsCache(element) && !element.Ancestors().Any(IsCache))
            .OrderBy(static cache => Lstopo.CpusOf(cache).First)
            .Select(static cache => (
                (int)cache.Attribute("depth")!, (long)cache.Attribute("cache_size")!, Lstopo.CpusOf(cache).ToString()));

    private static bool IsCache(XElement element) => Lstopo.TypeOf(element) is "L1Cache" or "L2Cache" or "L3Cache" or "L4Cache";

    // The first is the ordinary page.
    private static IEnumerable<(long, long)> HugePagesOf(XElement lstopo, int nodeId) =>
        lstopo.Descendants("object")
            .Single(element => Lstopo.TypeOf(element) == "NUMANode" && Lstopo.IndexOf(element) == nodeId)
            .Elements("page_type")
            .Skip(1)
            .Select(static pool => ((long)pool.Attribute("size")!, (long)pool.Attribute("count")!))
            .OrderBy(static pool => pool.Item1);
}
