using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class NodeProcessesTests
{
    private const long GiB = 1L << 30;

    [Fact]
    public void From_NodesWithCpus_GetAProcessEach()
    {
        var processes = From(Plan(Node(0, "0-1", 8), Node(1, "", 16), Node(3, "2-3", 8)));

        Assert.Equal([0, 3], processes.Select(static process => process.NodeId.Value));
        Assert.Equal(["0-1", "2-3"], processes.Select(static process => process.Cpus.ToString()));
        Assert.Equal([0, 3], processes.Select(static process => process.MemoryNodeId.Value));
        Assert.All(processes, process =>
        {
            Assert.Equal($"{process.NodeId}", process.Environment["NUMASHARP_NODE"]);
            Assert.Equal($"{process.NodeId}", process.Environment["Numa__Binding__Nodes"]);
            Assert.Equal("true", process.Environment["Numa__Transport__SharePort"]);
        });
    }

    [Fact]
    public void From_HeapLimits_AreThreeQuartersOfEachNode() => Assert.Equal(
        [6 * GiB, 12 * GiB],
        From(Plan(Node(0, "0", 8), Node(1, "1", 16))).Select(LimitOf));

    [Fact]
    public void From_ContainerLimit_IsDividedAsTheNodesAre() => Assert.Equal(
        [GiB * 3 / 4, 2 * GiB * 3 / 4],
        From(Plan(Node(0, "0", 8), Node(1, "1", 16)), availableBytes: 3 * GiB).Select(LimitOf));

    [Fact]
    public void From_NodeWithoutMemory_SharesThatOfItsNeighbour()
    {
        var processes = From(Plan(Node(0, "0", 8), Node(1, "1", 0)));

        Assert.Equal([0, 0], processes.Select(static process => process.MemoryNodeId.Value));
        Assert.Equal([3 * GiB, 3 * GiB], processes.Select(LimitOf));
    }

    [Fact]
    public void From_NodeOfTheMachineThatIsNotUsed_LeavesItsMemoryAlone()
    {
        var plan = NumaPlan.Create(
            new NumaTopology("test", [Node(0, "0", 8), Node(1, "1", 8)]), new NumaPlanRequest { Nodes = CpuSet.FromIds(1) });

        Assert.Equal(6 * GiB, LimitOf(Assert.Single(From(plan))));
    }

    [Theory]
    [InlineData("DOTNET_GCHeapHardLimit")]
    [InlineData("DOTNET_GCHeapHardLimitPercent")]
    [InlineData("COMPlus_GCHeapHardLimit")]
    public void From_UserLimitsTheHeap_IsNotOverruled(string name) =>
        Assert.Null(LimitOf(Assert.Single(From(Plan(Node(0, "0", 8)), variable: name))));

    [Fact]
    public void From_NoGcSettings_HasNoLimit() =>
        Assert.Null(LimitOf(Assert.Single(From(Plan(Node(0, "0", 8)), setGcLimits: false))));

    [Fact]
    public void From_UserDecidesAboutThePort_IsNotOverruled() => Assert.DoesNotContain(
        "Numa__Transport__SharePort",
        Assert.Single(From(Plan(Node(0, "0", 8)), variable: "Numa__Transport__SharePort")).Environment.Keys);

    private static IReadOnlyList<NodeProcess> From(
        NumaPlan plan, long availableBytes = 1024 * GiB, bool setGcLimits = true, string? variable = null) =>
        NodeProcesses.From(
            plan, NodeMemoryPolicy.Preferred, availableBytes, setGcLimits, name => name == variable ? "set" : null);

    private static NumaPlan Plan(params NumaNode[] nodes) => NumaPlan.Create(new NumaTopology("test", nodes));

    private static NumaNode Node(int id, string cpus, int gib) => TestMachines.Node(id, cpus, gib * GiB);

    private static long? LimitOf(NodeProcess process) =>
        process.Environment.TryGetValue(NodeProcesses.HeapLimit, out var text)
            ? long.Parse(text, NumberStyles.HexNumber, CultureInfo.InvariantCulture)
            : null;
}
