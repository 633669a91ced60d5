using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

public sealed class CoreReaderTests
{
    private const string Cpu0 = "sys/devices/system/cpu/cpu0/topology";

    private readonly TopologyWarnings _warnings = new();

    private string Read(MachineTree tree, string online)
    {
        var sysfs = new SysfsReader(tree.Options.SysfsRoot, new ReadingBudget());
        return string.Join(' ', new CoreReader(sysfs, _warnings).Read(CpuSet.ParseList(online))
            .Select(static core => $"{TextOf(core.PackageId)}/{TextOf(core.CoreId)}:{core.Cpus}"));
    }

    private static string TextOf(int? id) => id is { } known ? $"{known}" : "unknown";

    private static MachineTree TwoCores() => new MachineTree()
        .Cpu(0, package: 0, core: 0, "0,2")
        .Cpu(1, package: 0, core: 4, "1,3")
        .Cpu(2, package: 0, core: 0, "0,2")
        .Cpu(3, package: 0, core: 4, "1,3");

    [Fact]
    public void Read_SiblingsApart_AreOneCore()
    {
        using var tree = TwoCores();
        Assert.Equal("0/0:0,2 0/4:1,3", Read(tree, "0-3"));
        Assert.Empty(_warnings.ToLines());
    }

    [Fact]
    public void Read_OfflineSibling_IsLeftOut()
    {
        using var tree = TwoCores();
        Assert.Equal("0/4:1,3 0/0:2", Read(tree, "1-3"));
        Assert.Empty(_warnings.ToLines());
    }

    [Theory]
    [InlineData("core_cpus", "00000005\n")]
    [InlineData("thread_siblings_list", "0,2\n")]
    [InlineData("thread_siblings", "00000000,00000005\n")]
    public void Read_OlderKernelsName_IsUsed(string name, string text)
    {
        using var tree = TwoCores();
        tree.Delete($"{Cpu0}/core_cpus_list").Write($"{Cpu0}/{name}", text);
        Assert.Equal("0/0:0,2 0/4:1,3", Read(tree, "0-3"));
        Assert.Empty(_warnings.ToLines());
    }

    [Theory]
    [InlineData("2-0\n")]
    [InlineData("\0\u0001")]
    [InlineData("")]
    [InlineData("1-3\n")]
    [InlineData("0-65535:1/2\n")]
    [InlineData("0,99999999999999\n")]
    public void Read_MalformedSiblings_TheOtherFileIsUsed(string text)
    {
        using var tree = TwoCores();
        tree.Write($"{Cpu0}/core_cpus_list", text).Write($"{Cpu0}/thread_siblings", "5\n");
        Assert.Equal("0/0:0,2 0/4:1,3", Read(tree, "0-3"));
        Assert.StartsWith(tree.PathOf($"{Cpu0}/core_cpus_list"), Assert.Single(_warnings.ToLines()), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_MalformedSiblingsAndNoOtherFile_TheSiblingKnows()
    {
        using var tree = TwoCores();
        tree.Write($"{Cpu0}/core_cpus_list", "?");
        Assert.Equal("0/4:1,3 0/0:0,2", Read(tree, "0-3"));
    }

    [Fact]
    public void Read_CpuWithoutFiles_IsInNoCore()
    {
        using var tree = TwoCores();
        Assert.Equal("0/0:0,2 0/4:1,3", Read(tree, "0-7"));
        Assert.Empty(_warnings.ToLines());
    }

    [Fact]
    public void Read_KernelWithoutTopology_HasNoCores()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Equal("", Read(tree, "0-7"));
        Assert.Empty(_warnings.ToLines());
    }

    [Theory]
    [InlineData("-1\n")]
    [InlineData("")]
    [InlineData("99999999999\n")]
    [InlineData("zero\n")]
    public void Read_PackageOfNoUse_IsUnknown(string text)
    {
        using var tree = TwoCores();
        tree.Write($"{Cpu0}/physical_package_id", text);
        Assert.Equal("unknown/0:0,2 0/4:1,3", Read(tree, "0-3"));
    }

    [Fact]
    public void Read_SiblingsWithCoreIdsOfTheirOwn_AreCores()
    {
        using var tree = new MachineTree()
            .Cpu(0, package: 0, core: 0, "0-1")
            .Cpu(1, package: 0, core: 1, "0-1");
        Assert.Equal("0/0:0 0/1:1", Read(tree, "0-1"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Read_SiblingWithoutCoreId_IsNoReasonToSplit(int cpu)
    {
        using var tree = new MachineTree().Cpu(0, package: 0, core: 7, "0-1").Cpu(1, package: 0, core: 7, "0-1");
        tree.Delete($"{MachineTree.CpuFolder(cpu)}/topology/core_id");
        Assert.Equal(cpu == 0 ? "0/unknown:0-1" : "0/7:0-1", Read(tree, "0-1"));
    }

    [Fact]
    public void Read_FilesThatContradict_EveryCpuIsInOneCore()
    {
        using var tree = TwoCores();
        tree.Write($"{Cpu0}/core_cpus_list", "0-2\n");
        Assert.Equal("0/0:0,2 0/4:1 0/4:3", Read(tree, "0-3"));
        Assert.Contains("CPUs 1 ", Assert.Single(_warnings.ToLines()), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_OnlineListThatLies_InspectsAsManyCpusAsAKernelCanHave()
    {
        using var tree = TwoCores();
        var budget = new ReadingBudget();
        var cores = new CoreReader(new SysfsReader(tree.Options.SysfsRoot, budget), _warnings)
            .Read(CpuSet.Range(0, CpuSet.MaxId));
        Assert.Equal(2, cores.Count);
        Assert.InRange(budget.Accesses, 1, 5 * OnlineCpuReader.MaxInspected);
    }
}
