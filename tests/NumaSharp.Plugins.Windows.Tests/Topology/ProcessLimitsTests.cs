using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Topology;

public sealed class ProcessLimitsTests
{
    private const ulong Group48 = ulong.MaxValue >> 16;

    [Fact]
    public void Affinity_PartOfTheGroup_Limits()
    {
        var machine = Machines.Desktop();
        machine.ProcessAffinity = (0x0F, 0xFF);
        Assert.Equal(CpuSet.Range(0, 4), AllowedOf(machine));
    }

    [Fact]
    public void Affinity_IsThatOfTheProcessesGroup()
    {
        var machine = Machines.TwoGroups();
        machine.ProcessAffinity = (0x0F, Group48);
        machine.ProcessGroups = [1];
        Assert.Equal(CpuSet.Range(64, 4), AllowedOf(machine));
    }

    [Theory]
    [InlineData(Group48, Group48)]
    [InlineData(0, 0)]
    public void Affinity_AllOfTheGroupOrSeveralGroups_IsNoLimit(ulong process, ulong system)
    {
        var machine = Machines.TwoGroups();
        machine.ProcessAffinity = (process, system);
        Assert.Equal(96, AllowedOf(machine).Count);
    }

    [Theory]
    [InlineData(new ushort[] { 0, 1 })]
    [InlineData(null)]
    public void Affinity_OfUnknownGroup_IsNoLimit(ushort[]? groups)
    {
        var machine = Machines.TwoGroups();
        machine.ProcessAffinity = (0x0F, Group48);
        machine.ProcessGroups = groups;
        Assert.Equal(96, AllowedOf(machine).Count);
    }

    [Fact]
    public void Affinity_UnknownGroupOfOne_Limits()
    {
        var machine = Machines.Desktop();
        machine.ProcessAffinity = (0x0F, 0xFF);
        machine.ProcessGroups = null;
        Assert.Equal(CpuSet.Range(0, 4), AllowedOf(machine));
    }

    [Fact]
    public void Job_Limits_AndZeroStandsForTheWholeGroup()
    {
        var machine = Machines.TwoGroups();
        machine.JobMasks = [(0, 0x3), (1, 0)];
        Assert.Equal(CpuSet.FromIds(0, 1).Union(CpuSet.Range(64, 48)), AllowedOf(machine));
    }

    [Fact]
    public void DefaultCpuSets_Limit_WhereTheyAreSet()
    {
        var machine = Machines.WideNode();
        Assert.Equal(128, AllowedOf(machine).Count);
        machine.DefaultCpuSets = [(0, 0x1), (1, 0x2)];
        Assert.Equal(CpuSet.FromIds(0, 65), AllowedOf(machine));
    }

    [Fact]
    public void Limits_Together_AreTheirIntersection()
    {
        var machine = Machines.WideNode();
        machine.JobMasks = [(0, 0xFF)];
        machine.DefaultCpuSets = [(0, 0xF0), (1, 0xFF)];
        Assert.Equal(CpuSet.Range(4, 4), AllowedOf(machine));
    }

    [Fact]
    public void Limit_ThatLeavesNothing_IsIgnored()
    {
        var machine = Machines.WideNode();
        machine.JobMasks = [(5, 0xFF), (60000, 1)];
        Assert.Equal(128, AllowedOf(machine).Count);
    }

    private static CpuSet AllowedOf(FakeMachine machine) => new WindowsTopologyProvider(machine).Read().AllowedCpus;
}
