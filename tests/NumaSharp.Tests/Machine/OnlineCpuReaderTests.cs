using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

public sealed class OnlineCpuReaderTests
{
    private readonly TopologyWarnings _warnings = new();

    private string Read(MachineTree tree, string running) =>
        new OnlineCpuReader(new SysfsReader(tree.Options.SysfsRoot, new ReadingBudget()), _warnings)
            .Read(CpuSet.ParseList(running))
            .ToString();

    [Fact]
    public void Read_SysfsHidesCpusThatWeRunOn_TheyAreOnline()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Equal("0-7,12-13", Read(tree, "12-13"));
        Assert.Single(_warnings.ToLines());
    }

    [Fact]
    public void Read_NoSysfsAtAll_TheMaskIsUsed()
    {
        using var tree = new MachineTree();
        Assert.Equal("2-3", Read(tree, "2-3"));
        Assert.Single(_warnings.ToLines());
    }

    [Fact]
    public void Read_MaskWithinTheOnlineCpus_ChangesNothing()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Equal("0-7", Read(tree, "1"));
        Assert.Empty(_warnings.ToLines());
    }
}
