using System.Xml;
using System.Xml.Linq;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>hwloc's command, where it is installed: a second opinion on a tree of kernel files.</summary>
internal static class Lstopo
{
    private const string Tool = "lstopo-no-graphics";

    /// <summary>What it says of a tree, also of what the tree's process may not use.</summary>
    public static async Task<XElement> ReadAsync(string root)
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

    public static string TypeOf(XElement element) => element.Attribute("type")?.Value ?? "";

    public static int IndexOf(XElement element) => (int?)element.Attribute("os_index") ?? -1;

    // hwloc's own format, as the kernel's: 32 bits a group; where a group is 0 it may leave its digits out.
    public static CpuSet CpusOf(XElement element)
    {
        var groups = element.Attribute("cpuset")!.Value.Replace("0x", "", StringComparison.Ordinal).Split(',');
        var mask = string.Join(',', groups.Select(static group => group.Length == 0 ? "0" : group));
        Assert.True(CpuSet.TryParseMask(mask, out var cpus));
        return cpus;
    }
}
