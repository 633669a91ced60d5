using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

public sealed class CacheReaderTests
{
    private const string Index3 = "sys/devices/system/cpu/cpu0/cache/index3";

    private readonly TopologyWarnings _warnings = new();

    private string Read(MachineTree tree, string online, params NumaCore[] cores)
    {
        var sysfs = new SysfsReader(tree.Options.SysfsRoot, new ReadingBudget());
        return string.Join(' ', new CacheReader(sysfs, _warnings).Read(CpuSet.ParseList(online), cores)
            .Select(static cache => $"L{cache.Level}/{cache.SizeBytes >> 10}:{cache.Cpus}"));
    }

    /// <summary>Four CPUs; an L3 for 0-1 and one for 2-3.</summary>
    private static MachineTree TwoComplexes()
    {
        var tree = new MachineTree();
        foreach (var (cpu, l3) in new[] { (0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3") })
        {
            tree.Cache(cpu, 0, 1, "Data", "32K", $"{cpu}")
                .Cache(cpu, 1, 1, "Instruction", "64K", $"{cpu}")
                .Cache(cpu, 2, 2, "Unified", "512K", $"{cpu}")
                .Cache(cpu, 3, 3, "Unified", "16384K", l3);
        }

        return tree;
    }

    [Fact]
    public void Read_CoreComplexes_AreGroups()
    {
        using var tree = TwoComplexes();
        Assert.Equal("L3/16384:0-1 L3/16384:2-3", Read(tree, "0-3"));
        Assert.Empty(_warnings.ToLines());
    }

    [Fact]
    public void Read_OfflineCpus_AreLeftOut()
    {
        using var tree = TwoComplexes();
        Assert.Equal("L3/16384:1 L3/16384:2-3", Read(tree, "1-3"));
    }

    [Fact]
    public void Read_MaskOnly_IsEnough()
    {
        using var tree = TwoComplexes();
        tree.Delete($"{Index3}/shared_cpu_list").Write($"{Index3}/shared_cpu_map", "00000003\n");
        Assert.Equal("L3/16384:0-1 L3/16384:2-3", Read(tree, "0-3"));
        Assert.Empty(_warnings.ToLines());
    }

    [Theory]
    [InlineData("level", "three\n", "L2/512:0 L3/16384:1 L3/16384:2-3", 2)]
    [InlineData("level", "-3\n", "L2/512:0 L3/16384:1 L3/16384:2-3", 2)]
    [InlineData("level", "99999999999\n", "L2/512:0 L3/16384:1 L3/16384:2-3", 2)]
    [InlineData("shared_cpu_list", "1-0\n", "L2/512:0 L3/16384:1 L3/16384:2-3", 2)]
    [InlineData("shared_cpu_list", "2-3\n", "L2/512:0 L3/16384:1 L3/16384:2-3", 2)]
    [InlineData("size", "large\n", "L3/0:0-1 L3/16384:2-3", 1)]
    [InlineData("size", "99999999999999999999K\n", "L3/0:0-1 L3/16384:2-3", 1)]
    [InlineData("size", "-16K\n", "L3/0:0-1 L3/16384:2-3", 1)]
    [InlineData("size", "0K\n", "L2/512:0 L3/16384:1 L3/16384:2-3", 1)]
    [InlineData("size", "16M\n", "L3/16384:0-1 L3/16384:2-3", 0)]
    [InlineData("size", "16777216\n", "L3/16384:0-1 L3/16384:2-3", 0)]
    [InlineData("type", "?\n", "L3/16384:0-1 L3/16384:2-3", 0)]
    public void Read_MalformedFile_OfTheLastLevel(string file, string text, string expected, int warnings)
    {
        using var tree = TwoComplexes();
        Assert.Equal(expected, Read(tree.Write($"{Index3}/{file}", text), "0-3"));
        Assert.Equal(warnings, _warnings.ToLines().Count());
    }

    [Fact]
    public void Read_NoSize_IsUnknownWithoutAWarning()
    {
        using var tree = TwoComplexes();
        Assert.Equal("L3/0:0-1 L3/16384:2-3", Read(tree.Delete($"{Index3}/size"), "0-3"));
        Assert.Empty(_warnings.ToLines());
    }

    [Fact]
    public void Read_EmptyMask_StandsForTheCore()
    {
        using var tree = new MachineTree();
        tree.Cache(0, 0, 3, "Unified", "9216K", "").Cache(1, 0, 3, "Unified", "9216K", "").Cache(2, 0, 3, "Unified", "9216K", "");
        Assert.Equal("L3/9216:0-1 L3/9216:2", Read(tree, "0-2", new NumaCore(0, 0, CpuSet.ParseList("0-1"))));
        Assert.Empty(_warnings.ToLines());
    }

    [Fact]
    public void Read_LevelsOfBothKinds_InstructionsDoNotCount()
    {
        using var tree = new MachineTree();
        tree.Cache(0, 0, 1, "Data", "16K", "0").Cache(0, 1, 2, "Data", "256K", "0").Cache(0, 2, 2, "Instruction", "1024K", "0")
            .Cache(0, 3, 4, "Instruction", "1024K", "0");
        Assert.Equal("L2/256:0", Read(tree, "0"));
    }

    [Fact]
    public void Read_HybridMachine_EachCpuHasItsOwnLastLevel()
    {
        // Performance cores with an L3, low-power cores with a shared L2 only (Meteor Lake).
        using var tree = new MachineTree();
        tree.Cache(0, 0, 2, "Unified", "2048K", "0").Cache(0, 1, 3, "Unified", "24576K", "0")
            .Cache(1, 0, 2, "Unified", "2048K", "1-2").Cache(2, 0, 2, "Unified", "2048K", "1-2");
        Assert.Equal("L3/24576:0 L2/2048:1-2", Read(tree, "0-2"));
    }

    [Fact]
    public void Read_NoCacheFolders_IsEmpty()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Equal("", Read(tree, "0-7"));
        Assert.Empty(_warnings.ToLines());
    }
}
