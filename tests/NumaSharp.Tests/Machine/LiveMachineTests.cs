using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>The machine that runs the tests, whatever it is.</summary>
public sealed class LiveMachineTests
{
    private static CpuSet StatusList(string field)
    {
        Assert.True(KernelText.TryFindField(File.ReadAllText("/proc/self/status"), field, out var value));
        return CpuSet.ParseList(value);
    }

    [Fact]
    public void Read_ThisMachine_AgreesWithTheKernel()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has /sys and /proc.");
        var topology = new LinuxTopologyProvider().Read();

        Assert.True(topology.AllowedCpus.IsSubsetOf(StatusList("Cpus_allowed_list")));
        Assert.True(topology.MemoryNodes.IsSubsetOf(StatusList("Mems_allowed_list")));
        Assert.True(topology.Nodes.Sum(static node => node.MemoryBytes) > 0);
    }

    [Fact]
    public void Read_ThisMachine_NodeOfTheCurrentCpuIsTheKernels()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has getcpu.");
        Assert.SkipUnless(KernelThreads.CanGetCpu, "getcpu(2) is refused here.");
        var topology = new LinuxTopologyProvider().Read();
        new LinuxAffinityProvider().GetCurrent(out var cpu, out var nodeId).ThrowIfFailed("getcpu");

        Assert.Equal(nodeId, topology.Nodes[topology.IndexOfCpu(cpu)].Id);
    }

    [Fact]
    public void Read_OnAPinnedThread_SeesTheWholeMachine()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has affinity masks of threads.");
        var provider = new LinuxTopologyProvider();
        var expected = provider.Read().AllowedCpus;
        CpuSet? seen = null;
        TestThreads.Run(() =>
        {
            var one = CpuSet.FromIds(expected.First);
            using var pinned = ThreadAffinity.Pin(new LinuxAffinityProvider(), one, new NumaFallbacks());
            seen = provider.Read().AllowedCpus;
        });

        Assert.Equal(expected, seen);
    }

    [Fact]
    public void ReadSignature_OnAPinnedThread_IsThatOfTheProcess()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has a signature.");
        var provider = new LinuxTopologyProvider();
        string? seen = null;
        TestThreads.Run(() =>
        {
            var one = CpuSet.FromIds(provider.Read().AllowedCpus.First);
            using var pinned = ThreadAffinity.Pin(new LinuxAffinityProvider(), one, new NumaFallbacks());
            seen = provider.ReadSignature();
        });

        Assert.False(string.IsNullOrEmpty(seen));
        Assert.Equal(seen, provider.ReadSignature());
    }

    [Fact]
    public void ReadSignature_OfACapturedMachine_IsNotThere()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Null(new LinuxTopologyProvider(tree.Options).ReadSignature());
    }

    [Fact]
    public void Instance_ReadTwice_IsTheSame() => Assert.Same(NumaTopology.Instance, NumaTopology.Instance);

    [Fact]
    public void NumaPlatform_OnLinux_IsLinux()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere the platform is SingleNode.");
        Assert.Equal("Linux", NumaPlatform.Default.Topology.Name);
        Assert.Equal("Linux", NumaPlatform.Default.Affinity.Name);
    }
}
