using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Topology;

/// <summary>What lies below the nodes, and how fast firmware says that their memory is.</summary>
public sealed class HardwareTests : ThreeNodeTests
{
    private static NumaTopology Machine => NumaTopology.Instance;

    [Fact]
    public void Cores_OfThisMachine_AreOneOfTwoThreadsPerSocket() => Assert.Equal(
        [((int?)0, "0-1"), (1, "2-3")], Machine.Cores.Select(static core => (core.PackageId, core.Cpus.ToString())));

    [Fact]
    public void LastLevelCaches_OfThisMachine_AreOnePerSocket()
    {
        Assert.Equal(["0-1", "2-3"], Machine.LastLevelCaches.Select(static cache => cache.Cpus.ToString()));
        Assert.All(Machine.LastLevelCaches, static cache => Assert.Equal((3, 16L << 20), (cache.Level, cache.SizeBytes)));
    }

    [Fact]
    public void IsolatedCpus_OfThisMachine_AreNone() => Assert.Empty(Machine.IsolatedCpus);

    [Theory]
    [InlineData(0, "0", 80, 20480)]
    [InlineData(1, "1", 80, 20480)]
    [InlineData(2, "1", 280, 4096)]
    public void Access_OfEachNode_IsWhatFirmwarePromisesItsBestInitiators(
        int node, string initiators, int latency, int bandwidth)
    {
        var access = Machine.FindNode(new(node))!.Access;
        Assert.Equal([0, 1], access.Select(static it => it.AccessClass));
        Assert.All(access, it =>
        {
            Assert.Equal(initiators, it.InitiatorNodes.ToString());
            Assert.Equal((latency, latency), (it.ReadLatency, it.WriteLatency));
            Assert.Equal((bandwidth, bandwidth), (it.ReadBandwidth, it.WriteBandwidth));
        });
    }

    [Fact]
    public void MemoryTier_OfTheSlowNode_IsBelowThatOfTheOthers()
    {
        Assert.Equal(Machine.FindNode(new(0))!.MemoryTier, Machine.FindNode(new(1))!.MemoryTier);
        Assert.True(Machine.FindNode(new(2))!.MemoryTier > Machine.FindNode(new(0))!.MemoryTier);
    }

    [Fact]
    public void ReadStatistics_PagesTakenOnANode_AreCountedThere()
    {
        // Below the size of huge pages, each of which would be counted once.
        const int BlockSize = 100_000;
        const int Blocks = 40;
        INumaTopologyProvider provider = new LinuxTopologyProvider();
        foreach (var node in TheMachine.Nodes)
        {
            var before = Statistics(node);
            using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { NodeId = new(node), BindMode = NumaBindMode.Strict });
            NumaMemoryBlock[] blocks = [.. Enumerable.Range(0, Blocks).Select(_ => pool.RentBlock(BlockSize))];
            Array.ForEach(blocks, static block => block.GetSpan().Fill(1));
            var after = Statistics(node);
            Array.ForEach(blocks, static block => block.Dispose());
            Assert.InRange(after.Hit - before.Hit, Blocks * (BlockSize / Pages.Size), long.MaxValue);
            Assert.InRange(after.MemoryBytes, 1, TheMachine.MemoryOf(node));
        }

        Assert.Null(provider.ReadStatistics(new(TheMachine.MissingNode)));

        NumaNodeStatistics Statistics(int node) => provider.ReadStatistics(new(node)) ?? throw new InvalidOperationException();
    }
}
