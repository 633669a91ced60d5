using System.Diagnostics;
using NumaSharp.Core;

namespace NumaSharp.Plugins.HugePages.Tests;

[Collection(nameof(HugePageCollection))]
public sealed class HugePageMemoryProviderTests
{
    private const nuint Page = 2 << 20;

    private readonly NumaFallbacks _fallbacks = new();
    private readonly HugePageMemoryProvider _provider;

    public HugePageMemoryProviderTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "huge pages of this plugin are Linux's");
        _provider = HugePageMemoryProvider.Create2MiB(_fallbacks);
    }

    [Fact]
    public void Commit_PoolHasPages_TakesThemAndReleaseGivesThemBack()
    {
        using var pool = new HugePagePool(4);
        var address = Reserve(4);
        Assert.Equal(4, HugePagePool.Free);
        Assert.True(_provider.Commit(address, 3 * Page).Succeeded);
        Assert.Equal(1, HugePagePool.Free);
        AssertUsable(address, 3 * Page);
        _provider.Release(address, 4 * Page).ThrowIfFailed("release");
        Assert.Equal(4, HugePagePool.Free);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Commit_PoolIsEmpty_IsOrdinaryMemoryAndSaysSoOnce()
    {
        using var pool = new HugePagePool(0);
        var address = Reserve(3);
        Assert.True(_provider.Commit(address, Page).Succeeded);
        Assert.True(_provider.Commit(address + (nint)Page, 2 * Page).Succeeded);
        AssertUsable(address, 3 * Page);
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal("memory.hugepages", fallback.Feature);
        Assert.Contains("huge pages of 2 MiB: the node's pool has none left", fallback.Message, StringComparison.Ordinal);
        Release(address, 3);
    }

    [Fact]
    public void Release_TheLastMemoryInOrdinaryPages_TheFallbackIsWithdrawn()
    {
        using var pool = new HugePagePool(0);
        nint[] addresses = [Reserve(2), Reserve(1)];
        _provider.Commit(addresses[0], Page).ThrowIfFailed("commit");
        _provider.Commit(addresses[0] + (nint)Page, Page).ThrowIfFailed("commit");
        _provider.Commit(addresses[1], Page).ThrowIfFailed("commit");
        Assert.Equal(3, _fallbacks.ReportCount);
        Release(addresses[0], 2);
        Assert.Single(_fallbacks.Current);
        Release(addresses[1], 1);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Commit_PoolHasTooFew_LeavesThemToOthers()
    {
        using var pool = new HugePagePool(2);
        var address = Reserve(4);
        Assert.True(_provider.Commit(address, 4 * Page).Succeeded);
        Assert.Equal(2, HugePagePool.Free);
        AssertUsable(address, 4 * Page);
        Release(address, 4);
        Assert.Equal(2, HugePagePool.Free);
    }

    [Fact]
    public void Commit_PoolRunsOutBetweenCommits_MixesPages()
    {
        using var pool = new HugePagePool(1);
        var address = Reserve(3);
        _provider.Commit(address, Page).ThrowIfFailed("commit");
        _provider.Commit(address + (nint)Page, Page).ThrowIfFailed("commit");
        AssertUsable(address, 2 * Page);
        Release(address, 3);
        Assert.Equal(1, HugePagePool.Free);
    }

    [Fact]
    public void Bind_NodeWithPages_TakesThemThere()
    {
        SkipWhenBindingIsRefused();
        using var pool = new HugePagePool(2);
        var address = Reserve(2);
        _provider.Bind(address, 2 * Page, NumaPlacement.Prefer(new(0))).ThrowIfFailed("bind");
        _provider.Commit(address, 2 * Page).ThrowIfFailed("commit");
        Assert.Equal(0, HugePagePool.Free);
        if (KernelMemory.QueryRefusal is null)
        {
            _provider.QueryNode(address + (nint)Page + 100, out var node).ThrowIfFailed("query");
            Assert.Equal(0, node?.Value);
        }

        Release(address, 2);
    }

    [Theory]
    [InlineData(NumaPlacementKind.Preferred)]
    [InlineData(NumaPlacementKind.Bound)]
    public void Bind_PoolOfTheNodeIsEmpty_OrdinaryMemoryIsBoundToTheNode(NumaPlacementKind kind)
    {
        SkipWhenBindingIsRefused();
        using var pool = new HugePagePool(0);
        var address = Reserve(2);
        _provider.Bind(address, 2 * Page, new NumaPlacement(kind, CpuSet.FromIds(0))).ThrowIfFailed("bind");
        _provider.Commit(address, 2 * Page).ThrowIfFailed("commit");
        AssertUsable(address, 2 * Page);
        var expected = kind == NumaPlacementKind.Bound ? "bind=static:0" : "prefer=static:0";
        Assert.Contains(expected, PolicyOf(address), StringComparison.Ordinal);
        Assert.Equal(0, Assert.Single(_fallbacks.Current).NodeId?.Value);
        Release(address, 2);
    }

    // A huge page must not come from another node; an ordinary page may, rather than end the process.
    [Fact]
    public void Bind_AfterAPartFellBack_OnlyHugePagesMustBeOfTheNode()
    {
        SkipWhenBindingIsRefused();
        using var pool = new HugePagePool(1);
        var address = Reserve(3);
        _provider.Bind(address, 3 * Page, NumaPlacement.Prefer(new(0))).ThrowIfFailed("bind");
        _provider.Commit(address, Page).ThrowIfFailed("commit");
        _provider.Commit(address + (nint)Page, 2 * Page).ThrowIfFailed("commit");
        _provider.Bind(address, 3 * Page, NumaPlacement.Prefer(new(0))).ThrowIfFailed("bind");
        Assert.Contains("bind=static:0", PolicyOf(address), StringComparison.Ordinal);
        Assert.Contains("prefer=static:0", PolicyOf(address + (nint)Page), StringComparison.Ordinal);
        Release(address, 3);
    }

    [Fact]
    public void Bind_NodeThatIsNotThere_IsInvalid()
    {
        SkipWhenBindingIsRefused();
        using var pool = new HugePagePool(1);
        var address = Reserve(1);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Bind(address, Page, NumaPlacement.Bind(new(999))).Failure);
        Release(address, 1);
    }

    [Fact]
    public void Advise_Discard_IsNotSupportedBecauseATouchCouldFail()
    {
        using var pool = new HugePagePool(1);
        var address = Reserve(1);
        _provider.Commit(address, Page).ThrowIfFailed("commit");
        Assert.Equal(NumaFailure.NotSupported, _provider.Advise(address, Page, NumaMemoryAdvice.Discard).Failure);
        Assert.True(_provider.Advise(address, Page, NumaMemoryAdvice.HugePages).Succeeded);
        Assert.Equal(0, HugePagePool.Free);
        Release(address, 1);
    }

    [Fact]
    public async Task Memory_ProcessHasChildren_IsNotShared()
    {
        using var pool = new HugePagePool(1);
        var address = Reserve(1);
        _provider.Commit(address, Page).ThrowIfFailed("commit");
        await ExternalProgram.RunAsync("true");
        AssertUsable(address, Page);
        Assert.Contains("dc", FlagsOf(address).Split(' '));
        Release(address, 1);
    }

    [Fact]
    public void Reserve_WithAnAlignment_IsAligned()
    {
        _provider.Reserve(3 * Page, 64 * Page, out var address).ThrowIfFailed("reserve");
        Assert.Equal(0u, (nuint)address % (64 * Page));
        Release(address, 3);
    }

    [Fact]
    public void Reserve_PageSizeThatTheSystemLacks_StillGivesMemory()
    {
        const string Free = "/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages";
        Assert.SkipWhen(File.Exists(Free) && File.ReadAllText(Free) != "0\n", "This machine has pages of 1 GiB.");
        var provider = HugePageMemoryProvider.Create1GiB(_fallbacks);
        provider.Reserve(provider.PageSize, provider.PageSize, out var address).ThrowIfFailed("reserve");
        provider.Commit(address, provider.PageSize).ThrowIfFailed("commit");
        AssertUsable(address, Page);
        Assert.StartsWith(
            "Memory is not in huge pages of 1024 MiB: ", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
        provider.Release(address, provider.PageSize).ThrowIfFailed("release");
    }

    [Fact]
    public void MemoryPool_OnHugePages_RentsAndGivesBack()
    {
        using var pool = new HugePagePool(2);
        using (var blocks = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _provider, Fallbacks = _fallbacks }))
        {
            using (var block = blocks.Rent(4096))
            {
                block.Memory.Span.Fill(1);
                Assert.Equal(1, HugePagePool.Free);
            }

            Assert.Equal((long)Page, blocks.Trim());
            Assert.Equal(2, HugePagePool.Free);
        }

        Assert.DoesNotContain(_fallbacks.Current, static fallback => fallback.Feature == "memory.hugepages");
    }

    private static void SkipWhenBindingIsRefused() =>
        Assert.SkipWhen(KernelMemory.BindRefusal is not null, $"mbind(2) is refused here: {KernelMemory.BindRefusal}.");

    private static unsafe void AssertUsable(nint address, nuint size)
    {
        for (nuint offset = 0; offset < size; offset += Page)
        {
            var span = new Span<byte>((void*)(address + (nint)offset), (int)Page);
            Assert.Equal(-1, span.IndexOfAnyExcept((byte)0));
            span.Fill(7);
            Assert.Equal(7, span[^1]);
            span.Clear();
        }
    }

    // numa_maps(5): the policy of the mapping that begins at an address.
    private static string PolicyOf(nint address) =>
        File.ReadLines("/proc/self/numa_maps").First(line => line.StartsWith($"{address:x}", StringComparison.Ordinal));

    // proc_pid_smaps(5): VmFlags of the mapping; dc is "do not copy area on fork".
    private static string FlagsOf(nint address) =>
        File.ReadLines("/proc/self/smaps")
            .SkipWhile(line => !line.StartsWith($"{address:x}-", StringComparison.Ordinal))
            .First(static line => line.StartsWith("VmFlags", StringComparison.Ordinal));

    private nint Reserve(int pages)
    {
        _provider.Reserve((nuint)pages * Page, Page, out var address).ThrowIfFailed("reserve");
        return address;
    }

    private void Release(nint address, int pages) => _provider.Release(address, (nuint)pages * Page).ThrowIfFailed("release");
}
