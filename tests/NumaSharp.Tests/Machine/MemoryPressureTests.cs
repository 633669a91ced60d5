using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>How often memory was short for the process, by the files of its cgroups.</summary>
public sealed class MemoryPressureTests
{
    private const string Service = "sys/fs/cgroup/user.slice/app.service";

    [Fact]
    public void Read_Version2_CountsTheLimitsOfTheCgroupAndOfThoseAbove()
    {
        using var tree = Cgroup(some: 200)
            .Write($"{Service}/memory.events.local", "low 100\nhigh 5\nmax 2\noom 50\noom_kill 50\n")
            .Write($"{Service}/memory.events", "low 0\nhigh 500\nmax 0\n")
            .Write("sys/fs/cgroup/user.slice/memory.events.local", "low 0\nhigh 10\nmax 0\n");
        Assert.Equal(new MemoryPressure(17, 200), Read(tree));
    }

    // Before Linux 5.2 the events of neighbours cannot be told from one's own.
    [Fact]
    public void Read_WithoutLocalEvents_CountsNoLimits()
    {
        using var tree = Cgroup(some: 200).Write($"{Service}/memory.events", "low 0\nhigh 5\nmax 2\n");
        Assert.Equal(new MemoryPressure(0, 200), Read(tree));
    }

    [Fact]
    public void Read_WithoutACgroup_CountsTheMachine()
    {
        using var tree = MachineTree.TwoNodes().Write("proc/pressure/memory", Stalls(some: 3000));
        Assert.Equal(new MemoryPressure(0, 3000), Read(tree));
    }

    // Another one's shortage at a limit of its own is none of this one.
    [Fact]
    public void Read_CgroupWithoutPressure_DoesNotCountTheMachine()
    {
        using var tree = MachineTree.CgroupVersion2().Write("proc/pressure/memory", Stalls(some: 3000));
        Assert.Null(Read(tree));
    }

    [Fact]
    public void Read_CountsThatRise_AreReadEachTime()
    {
        using var tree = Cgroup(some: 1).Write($"{Service}/memory.events.local", "high 1\n");
        var files = Find(tree);
        Assert.Equal(new MemoryPressure(1, 1), files.Read());
        tree.Write($"{Service}/memory.events.local", "high 2\n").Write($"{Service}/memory.pressure", Stalls(some: 5));
        Assert.Equal(new MemoryPressure(2, 5), files.Read());
        File.Delete(tree.PathOf($"{Service}/memory.pressure"));
        Assert.Null(files.Read());
    }

    [Theory]
    [InlineData("")]
    [InlineData("high\nmax x\n")]
    [InlineData("high 99999999999999999999\n")]
    [InlineData("some avg10=0.00 total=\nsome\nfull total=7\n")]
    public void Read_FilesThatMakeNoSense_AreNotCounted(string text)
    {
        using var tree = Cgroup(some: 1).Write($"{Service}/memory.events.local", text);
        Assert.Null(Read(tree));
        tree.Write($"{Service}/memory.events.local", "high 1\n").Write($"{Service}/memory.pressure", text);
        Assert.Null(Read(tree));
    }

    [Fact]
    public void Read_Version1_HasNone()
    {
        using var tree = MachineTree.CgroupVersion1();
        Assert.Null(Read(tree));
    }

    private static MachineTree Cgroup(long some) =>
        MachineTree.CgroupVersion2().Write($"{Service}/memory.pressure", Stalls(some));

    private static MemoryPressure? Read(MachineTree tree) => Find(tree).Read();

    private static MemoryPressureFiles Find(MachineTree tree) =>
        MemoryPressureFiles.Find(tree.Options.SysfsRoot, tree.Options.ProcRoot);

    private static string Stalls(long some) =>
        $"some avg10=0.00 avg60=0.00 avg300=0.00 total={some}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n";
}
