using System.Diagnostics;
using System.Xml;
using System.Xml.Linq;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>hwloc's command, where it is installed: a second opinion on a tree of kernel files.</summary>
internal static class Lstopo
{
    private static readonly string? s_tool = FindTool();

    /// <summary>What it says of a tree, also of what the tree's process may not use.</summary>
    public static XElement Read(string root)
    {
        Assert.SkipWhen(s_tool is null, "The tool lstopo-no-graphics (hwloc 2.x) is not installed.");
        var start = new ProcessStartInfo(s_tool, ["--of", "xml", "--no-io", "--disallowed"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["HWLOC_FSROOT"] = root;
        start.Environment["HWLOC_THISSYSTEM"] = "0";
        start.Environment["HWLOC_COMPONENTS"] = "linux,stop";
        start.Environment["HWLOC_HIDE_ERRORS"] = "2";
        using var process = Process.Start(start)!;
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginErrorReadLine();
        var text = process.StandardOutput.ReadToEnd();
        Assert.True(process.WaitForExit(TimeSpan.FromMinutes(1)), "lstopo does not end");
        using var reader = XmlReader.Create(
            new StringReader(text), new XmlReaderSettings { DtdProcessing = DtdProcessing.Ignore });
        var topology = XDocument.Load(reader).Root!;
        Assert.SkipUnless(
            topology.Attribute("version")?.Value is "2.0", $"{s_tool} is not of hwloc 2.x: its topology is another.");
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

    private static string? FindTool() => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator)
        .Select(static directory => Path.Join(directory, "lstopo-no-graphics"))
        .FirstOrDefault(File.Exists);
}
