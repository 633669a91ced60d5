using NumaSharp.Core;
using NumaSharp.GuestTests.Hosting;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.OneNode;

/// <summary>The same on a kernel that was started with numa=off: everything works, and nothing is complained of.</summary>
public sealed class NoNumaTests : OneNodeTests
{
    [Fact]
    public void Instance_WithoutNuma_IsOneNodeWithEverything()
    {
        var node = Assert.Single(NumaTopology.Instance.Nodes);
        Assert.Equal((0, TheMachine.AllCpus, NumaNodeKind.Normal), (node.NodeId, node.Cpus, node.Kind));
        Assert.InRange(node.MemoryBytes, 2000L << 20, 2304L << 20);
        Assert.Empty(NumaTopology.Instance.Warnings);
    }

    [Fact]
    public async Task AddNuma_WithoutNumaAndStrict_IsHealthyAndQuiet()
    {
        var report = await Child.ProbeAsync(["--Numa:Binding:Mode=Strict"]);

        Assert.Equal(("0-3", "0"), (report.AllowedCpus, report.MemoryNodes));
        var pool = Assert.Single(report.Pools);
        Assert.Equal((0, 0, "0"), (pool.NodeId, pool.MemoryNodeId, pool.PageNodes));
        Assert.Empty(report.Fallbacks);
        Assert.Empty(report.Warnings);
        Assert.All(report.Health.Values, static status => Assert.Equal("Healthy", status));
    }

    [Fact]
    public unsafe void Constructor_QuickStartForNode1_IsServedAndSaysSo()
    {
        using var pool = new NumaMemoryPool(numaNodeId: 1);
        using var block = (NumaMemoryBlock)pool.Rent();
        block.GetSpan().Fill(1);
        Pages.AssertOn(0, (nint)block.Pointer, block.Length);
        Assert.Contains(NumaMemoryPool.DefaultFallbacks.Current, static fallback =>
            (fallback.Feature, fallback.NodeId?.Value) == ("memory.node", 1));
    }

    [Fact]
    public async Task Connections_WithoutNuma_AreServedByALoopPerCpu()
    {
        await using var server = await SeeingServer.StartAsync("Adaptive");
        for (var round = 0; round < 30 && server.Seen.DistinctBy(static it => it.Loop).Count() < 4; round++)
        {
            await server.ExchangeAsync(10_000);
        }

        Assert.Equal(4, server.Seen.DistinctBy(static it => it.Loop).Count());
        Assert.All(server.Seen, static it => Assert.Equal(0, it.Node));
    }
}
