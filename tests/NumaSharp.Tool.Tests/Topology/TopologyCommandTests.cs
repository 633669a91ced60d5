using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Topology;

public sealed class TopologyCommandTests
{
    [Fact]
    public async Task Json_TwoNodes_HasTheFieldsThatProgramsRead()
    {
        using var tree = MachineTree.TwoNodes();

        var document = await ReadJson(tree);

        var node = document.GetProperty("nodes")[1];
        Assert.Equal(1, node.GetProperty("id").GetInt32());
        Assert.Equal("normal", node.GetProperty("kind").GetString());
        Assert.Equal("4-7", node.GetProperty("cpus").GetString());
        Assert.Equal(1L << 30, node.GetProperty("memoryBytes").GetInt64());
        Assert.Equal(1L << 29, node.GetProperty("memoryFreeBytes").GetInt64());
        Assert.Equal(21, node.GetProperty("distances").GetProperty("0").GetInt32());
        Assert.Equal([0, 1], document.GetProperty("memoryNodes").EnumerateArray().Select(static id => id.GetInt32()));
        Assert.Equal("0-7", document.GetProperty("allowedCpus").GetString());
    }

    [Fact]
    public async Task Json_NodeWithoutCpus_IsOfKindMemory()
    {
        using var tree = MachineTree.CpulessNode();
        var node = (await ReadJson(tree)).GetProperty("nodes")[2];
        Assert.Equal("memory", node.GetProperty("kind").GetString());
        Assert.Equal("", node.GetProperty("cpus").GetString());
    }

    [Fact]
    public async Task Json_CpusetOfTheTree_Counts()
    {
        using var tree = MachineTree.CgroupVersion1();
        var document = await ReadJson(tree);
        Assert.Equal("4-5", document.GetProperty("allowedCpus").GetString());
        Assert.Equal("4-7", document.GetProperty("nodes")[0].GetProperty("onlineCpus").GetString());
    }

    [Fact]
    public async Task Json_NoProcTree_AllowsAllOnlineCpus()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Delete("proc");
        Assert.Equal("0-7", (await ReadJson(tree)).GetProperty("allowedCpus").GetString());
    }

    [Fact]
    public async Task Run_ThisMachine_Succeeds()
    {
        var run = await ToolRun.Of("topology");
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Contains($"Node {NumaTopology.Instance.Nodes[0].NodeId}", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_MachineWithoutCpus_IsOneLineAndExitCode2()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Delete("sys/devices/system/cpu").Delete("proc");

        var run = await ToolRun.Of("topology", "--root", tree.PathOf(""));

        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Empty(run.Output);
        Assert.Contains("cpu/online", run.ErrorLine, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "has no folder sys")]
    [InlineData("nowhere", "does not exist")]
    public async Task Run_RootThatIsNone_IsOneLineAndExitCode2(string name, string reason)
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("topology", "--root", Path.Join(folder.Path, name));
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains(reason, run.ErrorLine, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("xml")]
    [InlineData("2")]
    public async Task Run_UnknownFormat_NamesTheAllowedOnes(string format)
    {
        var run = await ToolRun.Of("topology", "--format", format);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Equal($"--format = '{format}': allowed are text and json.", run.ErrorLine);
    }

    private static async Task<JsonElement> ReadJson(MachineTree tree)
    {
        var run = await ToolRun.Of("topology", "--root", tree.PathOf(""), "--format", "json");
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Empty(run.Error);
        return run.Json;
    }
}
