using NumaSharp.Core;
using NumaSharp.GuestProbe;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>Processes in a cgroup that may use a part of the machine.</summary>
public sealed class CpusetTests : ThreeNodeTests
{
    [Fact]
    public async Task AddNuma_FencedToOneNode_SeesAndUsesThatNodeAlone()
    {
        using var fence = new Cpuset("one-node", cpus: "2-3", memoryNodes: "1");
        var report = await Child.ProbeAsync([], fence.Folder);

        Assert.Equal(("2-3", "1"), (report.AllowedCpus, report.MemoryNodes));
        Assert.Equal((1, "2-3"), (Assert.Single(report.CpusByNode).Key, report.CpusByNode[1]));
        var pool = Assert.Single(report.Pools);
        Assert.Equal((1, 1, "1"), (pool.NodeId, pool.MemoryNodeId, pool.PageNodes));
        Assert.Empty(report.Warnings);
        Assert.Empty(report.Fallbacks);
        Assert.All(report.Health.Values, static status => Assert.Equal("Healthy", status));

        // The kernel refuses what is beyond the fence, and nothing above has asked for it.
        Assert.Equal(["EINVAL", "0", "EINVAL", "EINVAL"], report.BindErrors);
    }

    [Fact]
    public async Task AddNuma_CpusetThatSpansNodes_UsesWhatIsLeftOfEach()
    {
        using var fence = new Cpuset("across", cpus: "1-2", memoryNodes: "0,2");
        var report = await Child.ProbeAsync([], fence.Folder);

        Assert.Equal(("1-2", "0,2"), (report.AllowedCpus, report.MemoryNodes));
        Assert.Equal(["1", "2", ""], report.CpusByNode.OrderBy(static node => node.Key).Select(static node => node.Value));

        // Node 1 may run threads, its own memory is forbidden, and node 0 is nearer than node 2.
        Assert.Equal(
            [(0, 0, "0"), (1, 0, "0"), (2, 2, "2")],
            report.Pools.Select(static pool => (pool.NodeId, pool.MemoryNodeId, pool.PageNodes)));
        Assert.Empty(report.Fallbacks);
    }

    // Without MPOL_F_STATIC_NODES the kernel renumbers the nodes with every change: memory would end up bound to node 0.
    [Fact]
    public void Bind_MemoryNodesGoAndComeBack_IsBoundAsBefore()
    {
        const nuint Size = 1 << 20;
        var provider = NumaPlatform.Default.Memory;
        using var fence = new Cpuset("come-and-go", cpus: "0-3", memoryNodes: "0-1");
        provider.Reserve(Size, 4096, out var address).ThrowIfFailed("mmap");
        fence.Enter();
        try
        {
            provider.Bind(address, Size, NumaPlacement.Bind(new(1))).ThrowIfFailed("mbind");
            fence.SetMemoryNodes("1");
            fence.SetMemoryNodes("0-1");
            Assert.Equal("bind:1", NumaMapping.Of(address).Policy);
        }
        finally
        {
            provider.Release(address, Size).ThrowIfFailed("munmap");
        }
    }
}
