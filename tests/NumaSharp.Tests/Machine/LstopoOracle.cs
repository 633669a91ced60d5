using System.Xml;
using System.Xml.Linq;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>hwloc's command, where it is installed: a second opinion on a tree of kernel files.</summary>
internal static class LstopoOracle
{
    private const string Tool = "lstopo-no-graphics";
    private const int FirstGpuNode = 250;

    /// <summary>Compares its cores, packages, last-level caches and huge pages of a tree with what we read in it.</summary>
    public static async Task AssertAgreesAsync(string root)
    {
        var topology = RealMachines.ProviderOf(root).Read();
        var lstopo = await ReadAsync(root);
        TestContext.Current.TestOutputHelper?.WriteLine(string.Join('\n', topology.Warnings));
        Assert.Equal(CoresOf(lstopo), topology.Cores.Select(static core => (core.PackageId, core.CoreId, core.Cpus.ToString())));
        Assert.Equal(
            CachesOf(lstopo),
            topology.LastLevelCaches.Select(static cache => (cache.Level, cache.SizeBytes, cache.Cpus.ToString())));
        foreach (var node in topology.Nodes.Where(node => HasPools(root, node.NodeId)))
        {
            Assert.Equal(
                HugePagesOf(lstopo, node.NodeId), node.HugePages.Select(static pool => (pool.PageBytes, pool.Total)));
        }
    }

    // What it says of a tree, also of what the tree's process may not use.
    private static async Task<XElement> ReadAsync(string root)
    {
        ExternalProgram.SkipUnlessThere(Tool);
        var text = await ExternalProgram.RunAsync(
            "env",
            $"HWLOC_FSROOT={root}",
            "HWLOC_THISSYSTEM=0",
            "HWLOC_COMPONENTS=linux,stop",
            "HWLOC_HIDE_ERRORS=2",
            Tool,
            "--of",
            "xml",
            "--no-io",
            "--disallowed");
        using var reader = XmlReader.Create(
            new StringReader(text), new XmlReaderSettings { DtdProcessing = DtdProcessing.Ignore });
        var topology = XDocument.Load(reader).Root!;
        Assert.SkipUnless(
            topology.Attribute("version")?.Value is "2.0", $"{Tool} is not of hwloc 2.x: its topology is another.");
        return topology;
    }

    private static string TypeOf(XElement element) => element.Attribute("type")?.Value ?? "";

    private static int? IndexOf(XElement element) => (int?)element.Attribute("os_index");

    // hwloc's own format, as the kernel's: 32 bits a group; where a group is 0 it may leave its digits out.
    private static CpuSet CpusOf(XElement element)
    {
        var groups = element.Attribute("cpuset")!.Value.Replace("0x", "", StringComparison.Ordinal).Split(',');
        var mask = string.Join(',', groups.Select(static group => group.Length == 0 ? "0" : group));
        Assert.True(CpuSet.TryParseMask(mask, out var cpus));
        return cpus;
    }

    // hwloc does not read the pools of kernels that show them in meminfo only, nor those of GPU memory.
    private static bool HasPools(string root, int nodeId)
    {
        var nodes = Path.Join(root, "sys", "devices", "system", "node");
        return !Directory.Exists(nodes)
            || (nodeId < FirstGpuNode && Directory.Exists(Path.Join(nodes, $"node{nodeId}", "hugepages")));
    }

    private static IEnumerable<(int?, int?, string)> CoresOf(XElement lstopo) =>
        lstopo.Descendants("object")
            .Where(static element => TypeOf(element) == "Core")
            .OrderBy(static core => CpusOf(core).First)
            .Select(static core => (PackageOf(core), IndexOf(core), CpusOf(core).ToString()));

    private static int? PackageOf(XElement core) =>
        core.Ancestors("object").FirstOrDefault(static element => TypeOf(element) == "Package") is { } package
            ? IndexOf(package)
            : null;

    // Instruction caches have names of their own. Of nested caches the outermost is the last level.
    private static IEnumerable<(int, long, string)> CachesOf(XElement lstopo) =>
        lstopo.Descendants("object")
            .Where(static element => IsCache(element) && !element.Ancestors().Any(IsCache))
            .OrderBy(static cache => CpusOf(cache).First)
            .Select(static cache => (
                (int)cache.Attribute("depth")!, (long)cache.Attribute("cache_size")!, CpusOf(cache).ToString()));

    private static bool IsCache(XElement element) => TypeOf(element) is "L1Cache" or "L2Cache" or "L3Cache" or "L4Cache";

    // The first is the ordinary page.
    private static IEnumerable<(long, long)> HugePagesOf(XElement lstopo, int nodeId) =>
        lstopo.Descendants("object")
            .Single(element => TypeOf(element) == "NUMANode" && IndexOf(element) == nodeId)
            .Elements("page_type")
            .Skip(1)
            .Select(static pool => ((long)pool.Attribute("size")!, (long)pool.Attribute("count")!))
            .OrderBy(static pool => pool.Item1);
}
