using System.Globalization;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Plugins.HugePages;

namespace NumaSharp.GuestTests.Plugins;

/// <summary>Pools of huge pages that belong to the nodes: one with some pages, one with none.</summary>
public sealed class HugePagesTests : ThreeNodeTests, IDisposable
{
    private const int PageSize = 2 << 20;
    private const int Reserved = 4;

    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaMemoryPools _pools;

    public HugePagesTests()
    {
        File.WriteAllText(FileOf(0, "nr_hugepages"), $"{Reserved}");
        Assert.Equal((Reserved, 0), (FreeOn(0), FreeOn(1)));
        _pools = new NumaMemoryPools(NumaPlan.Create(NumaTopology.Instance), new NumaMemoryPoolsOptions
        {
            Memory = HugePageMemoryProvider.Create2MiB(_fallbacks),
            Fallbacks = _fallbacks,
        });
    }

    [Fact]
    public void Rent_NodeWithHugePages_TakesThem()
    {
        using var block = _pools.ForNode(new(0)).RentBlock(2 * PageSize);
        TestThreads.RunOn(TheMachine.CpusFarFrom(0), () => block.GetSpan().Fill(1));
        Pages.AssertOn(0, block);
        Assert.Equal(Reserved - 2, FreeOn(0));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Rent_NodeWithoutHugePages_GetsOrdinaryOnesOfItsOwn()
    {
        using var block = _pools.ForNode(new(1)).RentBlock(2 * PageSize);
        TestThreads.RunOn(TheMachine.CpusFarFrom(1), () => block.GetSpan().Fill(1));
        AssertSaid(1);
        Assert.Equal(Reserved, FreeOn(0));
        Pages.AssertOn(1, block);
    }

    [Fact]
    public void Rent_MoreThanTheNodesPoolHas_TheRestIsOrdinary()
    {
        NumaMemoryBlock[] blocks = [.. Enumerable.Range(0, 3).Select(_ => _pools.ForNode(new(0)).RentBlock(2 * PageSize))];
        TestThreads.RunOn(TheMachine.CpusFarFrom(0), () => Array.ForEach(blocks, static block => block.GetSpan().Fill(1)));
        Assert.All(blocks, static block => Pages.AssertOn(0, block));
        Assert.Equal(0, FreeOn(0));
        AssertSaid(0);
        Array.ForEach(blocks, static block => block.Dispose());
        Assert.Equal(Reserved, FreeOn(0));
    }

    public void Dispose()
    {
        _pools.Dispose();
        File.WriteAllText(FileOf(0, "nr_hugepages"), "0");
    }

    private static string FileOf(int node, string name) =>
        $"/sys/devices/system/node/node{node}/hugepages/hugepages-2048kB/{name}";

    private static int FreeOn(int node) =>
        int.Parse(File.ReadAllText(FileOf(node, "free_hugepages")), CultureInfo.InvariantCulture);

    private void AssertSaid(int node)
    {
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("memory.hugepages", node), (fallback.Feature, fallback.NodeId?.Value));
        Assert.Contains($"node {node}", fallback.Message, StringComparison.Ordinal);
    }
}
