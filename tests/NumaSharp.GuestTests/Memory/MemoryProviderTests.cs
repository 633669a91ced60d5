using NumaSharp.Core;
using NumaSharp.GuestProbe;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Memory;

public sealed class MemoryProviderTests : ThreeNodeTests
{
    private const int PageCount = 60;
    private const nuint Size = PageCount * Pages.Size;

    private readonly INumaMemoryProvider _provider = NumaPlatform.Default.Memory;

    [Fact]
    public void Bind_Interleaved_PagesTakeTurns()
    {
        var count = Place(new NumaPlacement(NumaPlacementKind.Interleaved, CpuSet.FromIds(0, 1, 2)));
        Assert.Equal([(0, PageCount / 3), (1, PageCount / 3), (2, PageCount / 3)], count.Select(static at => (at.Key, at.Value)));
    }

    [Fact]
    public void Bind_PreferredSeveral_PagesComeFromThem()
    {
        var count = Place(new NumaPlacement(NumaPlacementKind.Preferred, CpuSet.FromIds(1, 2)), out var policy);
        Assert.Equal("prefer(many):1-2", policy);
        Assert.All(count.Keys, static node => Assert.InRange(node, 1, 2));
    }

    [Fact]
    public void Bind_BoundToSeveral_PagesComeFromThem()
    {
        var count = Place(new NumaPlacement(NumaPlacementKind.Bound, CpuSet.FromIds(1, 2)), out var policy);
        Assert.Equal("bind:1-2", policy);
        Assert.All(count.Keys, static node => Assert.InRange(node, 1, 2));
    }

    [Theory]
    [InlineData(NumaPlacementKind.Bound)]
    [InlineData(NumaPlacementKind.Preferred)]
    [InlineData(NumaPlacementKind.Interleaved)]
    public void Bind_NodeThatIsNotThere_IsEinval(NumaPlacementKind kind)
    {
        _provider.Reserve(Size, Pages.Size, out var address).ThrowIfFailed("mmap");
        var result = _provider.Bind(address, Size, new NumaPlacement(kind, CpuSet.FromIds(TheMachine.MissingNode)));
        Assert.Equal((NumaFailure.InvalidArgument, "EINVAL"), (result.Failure, result.ErrorName));
        Assert.Equal("default", NumaMapping.Of(address).Policy);
        _provider.Release(address, Size).ThrowIfFailed("munmap");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Commit_WithoutBinding_PagesComeFromTheNodeThatTouchesThem(int node) => TestThreads.RunOn(
        TheMachine.CpusOf(node), () =>
    {
        var count = Place(null, out var policy);
        Assert.Equal(("default", node), (policy, Assert.Single(count).Key));
    });

    [Fact]
    public void QueryNode_BeforeTheFirstTouch_IsNone()
    {
        _provider.Reserve(Size, Pages.Size, out var address).ThrowIfFailed("mmap");
        _provider.Commit(address, Size).ThrowIfFailed("mprotect");
        _provider.Bind(address, Size, NumaPlacement.Bind(new(1))).ThrowIfFailed("mbind");
        _provider.QueryNode(address, out var node).ThrowIfFailed("move_pages");
        Assert.Null(node);
        _provider.Release(address, Size).ThrowIfFailed("munmap");
    }

    private SortedDictionary<int, int> Place(NumaPlacement? placement) => Place(placement, out _);

    private unsafe SortedDictionary<int, int> Place(NumaPlacement? placement, out string policy)
    {
        _provider.Reserve(Size, Pages.Size, out var address).ThrowIfFailed("mmap");
        if (placement is not null)
        {
            _provider.Bind(address, Size, placement).ThrowIfFailed("mbind");
        }

        _provider.Commit(address, Size).ThrowIfFailed("mprotect");
        new Span<byte>((void*)address, (int)Size).Fill(1);
        var count = Pages.CountByNode(address, (long)Size);
        policy = NumaMapping.Of(address).Policy;
        _provider.Release(address, Size).ThrowIfFailed("munmap");
        return count;
    }
}
