using System.Globalization;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Memory;

/// <summary>
/// How many of all pages are on the node that they were asked for, as a figure on the console: 100 % where bind is allowed.
/// </summary>
public sealed unsafe class PlacementShareTests : ThreeNodeTests
{
    // Small runs, chunks of their own, mappings of their own; 24 MB per node.
    private static readonly (int Bytes, int Count)[] s_blocks =
        [(100, 10_000), (4096, 1000), (20_000, 200), (262_144, 40), (2_500_000, 2)];

    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void Allocator_AllSizesOnAllNodesFromFarThreads_EveryPageIsOnItsNode()
    {
        using var allocator = new NumaAllocator(
            NumaPlan.Create(NumaTopology.Instance), new NumaAllocatorOptions { Fallbacks = _fallbacks });
        AssertAll("allocator", (node, size) =>
        {
            var block = (nint)allocator.Allocate((nuint)size, new(node));
            return (block, () => allocator.Free((void*)block));
        });
    }

    [Fact]
    public void Pools_AllSizesOnAllNodesFromFarThreads_EveryPageIsOnItsNode()
    {
        using var pools = new NumaMemoryPools(
            NumaPlan.Create(NumaTopology.Instance), new NumaMemoryPoolsOptions { Fallbacks = _fallbacks });
        AssertAll("pools", (node, size) =>
        {
            var block = pools.ForNode(new(node)).RentBlock(size);
            return ((nint)block.Pointer, block.Dispose);
        });
    }

    private void AssertAll(string source, Func<int, int, (nint Address, Action Release)> allocate)
    {
        var (right, all) = (0L, 0L);
        foreach (var node in TheMachine.Nodes)
        {
            TestThreads.RunOn(TheMachine.CpusFarFrom(node), () =>
            {
                var releases = new List<Action>();
                var pages = Fill(size =>
                {
                    var (address, release) = allocate(node, size);
                    releases.Add(release);
                    return address;
                });
                all += pages.Count;
                right += pages.Count(page => Pages.NodeOf(page) == node);

                // What a pool's users keep stays mapped, and the small node has no memory to spare for other tests.
                releases.ForEach(static release => release());
            });
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"placement: {source}: {right} of {all} pages on their node ({100.0 * right / all:0.###} %)"));
        Assert.Equal(all, right);
        Assert.Empty(_fallbacks.Current);
    }

    // Blocks that share a page are of one node: it counts once.
    private static HashSet<nint> Fill(Func<int, nint> allocate)
    {
        var pages = new HashSet<nint>();
        foreach (var size in s_blocks.SelectMany(static block => Enumerable.Repeat(block.Bytes, block.Count)))
        {
            var block = allocate(size);
            Pages.Touch(block, size);
            for (var page = block & ~(Pages.Size - 1); page < block + size; page += Pages.Size)
            {
                pages.Add(page);
            }
        }

        return pages;
    }
}
