using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Memory;

/// <summary>With placeholders, as on Windows Server 2019 and later.</summary>
public sealed class WindowsMemoryProviderTests
{
    private const nuint Size = 8 << 20;
    private const nuint Part = 1 << 20;

    private readonly FakeMemory _memory = new();
    private readonly WindowsMemoryProvider _provider;
    private readonly nint _address;

    public WindowsMemoryProviderTests()
    {
        _provider = new WindowsMemoryProvider(_memory);
        Assert.True(_provider.Reserve(Size, 2 << 20, out _address).Succeeded);
    }

    [Fact]
    public void Reserve_IsAlignedAndLeavesNoTrial()
    {
        Assert.Equal(0, _address % (2 << 20));
        Assert.Equal(1, _memory.Count);
    }

    [Fact]
    public void Bind_Parts_HaveTheirNodes()
    {
        Assert.True(_provider.Bind(At(1), Part, NumaPlacement.Prefer(new(1))).Succeeded);
        Assert.True(_provider.Bind(At(6), 2 * Part, NumaPlacement.Prefer(new(0))).Succeeded);

        Assert.Equal([-1, 1, -1, -1, -1, -1, 0, 0], Enumerable.Range(0, 8).Select(part => _memory.NodeOf(At(part))));
    }

    [Fact]
    public void Bind_AllAtOnce_IsOneRegion()
    {
        Assert.True(_provider.Bind(_address, Size, NumaPlacement.Prefer(new(1))).Succeeded);
        Assert.Equal(1, _memory.Count);
        Assert.Equal(1, _memory.NodeOf(At(7)));
    }

    [Fact]
    public void Bind_OverParts_BindsWhatIsLeftAndLeavesEqualOnes()
    {
        _provider.Bind(At(2), Part, NumaPlacement.Prefer(new(1)));
        _provider.Commit(At(2), Part);

        Assert.True(_provider.Bind(_address, Size, NumaPlacement.Prefer(new(1))).Succeeded);
        Assert.True(_memory.IsCommitted(At(2)));
        Assert.Equal(1, _memory.NodeOf(At(0)));
    }

    [Fact]
    public void Bind_WholeRegionWithoutPages_CanChangeItsMind()
    {
        _provider.Bind(At(1), Part, NumaPlacement.Prefer(new(1)));
        Assert.True(_provider.Bind(At(1), Part, NumaPlacement.Prefer(new(0))).Succeeded);
        Assert.Equal(0, _memory.NodeOf(At(1)));
    }

    [Fact]
    public void Bind_CommittedToAnotherNode_IsRefusedAndChangesNothing()
    {
        _provider.Bind(At(3), Part, NumaPlacement.Prefer(new(1)));
        _provider.Commit(At(3), Part);
        var result = _provider.Bind(_address, Size, NumaPlacement.Prefer(new(0)));

        Assert.Equal(new NumaResult(NumaFailure.NotSupported, 50, "ERROR_NOT_SUPPORTED"), result);
        Assert.Equal((-1, 1), (_memory.NodeOf(_address), _memory.NodeOf(At(3))));
        Assert.True(_memory.IsCommitted(At(3)));
    }

    [Fact]
    public void Bind_PartOfARegionToAnotherNode_IsRefused()
    {
        _provider.Bind(_address, Size, NumaPlacement.Prefer(new(1)));
        Assert.Equal(NumaFailure.NotSupported, _provider.Bind(At(1), Part, NumaPlacement.Prefer(new(0))).Failure);
    }

    [Fact]
    public void Bind_NodeThatIsNotThere_IsInvalidAndLeavesItUsable()
    {
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Bind(At(1), Part, NumaPlacement.Prefer(new(99))).Failure);
        Assert.True(_provider.Bind(At(1), Part, NumaPlacement.Prefer(new(1))).Succeeded);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Bind(At(1), Part, NumaPlacement.Prefer(new(99))).Failure);
        Assert.Equal(1, _memory.NodeOf(At(1)));
        Assert.True(_provider.Commit(_address, Size).Succeeded);
    }

    [Fact]
    public void Bind_SeveralNodes_PrefersTheFirst()
    {
        var placement = new NumaPlacement(NumaPlacementKind.Preferred, CpuSet.FromIds(2, 5));
        Assert.True(_provider.Bind(_address, Size, placement).Succeeded);
        Assert.Equal(2, _memory.NodeOf(_address));
    }

    [Theory]
    [InlineData(NumaPlacementKind.Bound)]
    [InlineData(NumaPlacementKind.Interleaved)]
    public void Bind_WhatWindowsDoesNotPromise_IsNotSupported(NumaPlacementKind kind) => Assert.Equal(
        NumaFailure.NotSupported,
        _provider.Bind(_address, Size, new NumaPlacement(kind, CpuSet.FromIds(0))).Failure);

    [Fact]
    public void Bind_NoNode_IsInvalid() => Assert.Equal(
        NumaFailure.InvalidArgument,
        _provider.Bind(_address, Size, new NumaPlacement(NumaPlacementKind.Preferred, CpuSet.Empty)).Failure);

    [Fact]
    public void Commit_OverSegments_CommitsAllAndNoMore()
    {
        _provider.Bind(At(2), Part, NumaPlacement.Prefer(new(1)));
        Assert.True(_provider.Commit(At(1), 3 * Part).Succeeded);

        Assert.Equal([false, true, true, true, false], Enumerable.Range(0, 5).Select(part => _memory.IsCommitted(At(part))));
        Assert.Equal((null, 1), (_memory.NodeOf(At(1)), _memory.NodeOf(At(2))));
    }

    [Fact]
    public void Commit_NoMemory_IsTheSystemsReason()
    {
        _memory.CommitError = Win32Error.ERROR_COMMITMENT_LIMIT;
        Assert.Equal(
            new NumaResult(NumaFailure.OutOfMemory, 1455, "ERROR_COMMITMENT_LIMIT"), _provider.Commit(_address, Part));
    }

    [Fact]
    public void Discard_GivesPagesBackUntilTheyAreCommittedAgain()
    {
        _provider.Commit(At(1), Part);
        Assert.True(_provider.Advise(_address, Size, NumaMemoryAdvice.Discard).Succeeded);
        Assert.False(_memory.IsCommitted(At(1)));
        Assert.True(_provider.Commit(At(1), Part).Succeeded);
        Assert.True(_memory.IsCommitted(At(1)));
    }

    [Fact]
    public void Advise_HugePages_AreNotByHint()
    {
        Assert.Equal(NumaFailure.NotSupported, _provider.Advise(_address, Size, NumaMemoryAdvice.HugePages).Failure);
        Assert.Throws<ArgumentOutOfRangeException>(() => _provider.Advise(_address, Size, (NumaMemoryAdvice)77));
    }

    [Fact]
    public void Release_InAnyState_LeavesNothing()
    {
        _provider.Bind(At(2), Part, NumaPlacement.Prefer(new(1)));
        _provider.Commit(At(4), Part);
        Assert.True(_provider.Release(_address, Size).Succeeded);

        Assert.Equal(0, _memory.Count);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Release(_address, Size).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Commit(_address, Part).Failure);
    }

    [Fact]
    public void Release_Refused_CanBeTriedAgain()
    {
        _provider.Bind(At(2), Part, NumaPlacement.Prefer(new(1)));
        _memory.FreeError = Win32Error.ERROR_NO_SYSTEM_RESOURCES;
        Assert.Equal(NumaFailure.OutOfMemory, _provider.Release(_address, Size).Failure);
        _memory.FreeError = 0;
        Assert.True(_provider.Release(_address, Size).Succeeded);
        Assert.Equal(0, _memory.Count);
    }

    [Fact]
    public void Calls_OutsideOfAReservation_AreInvalid()
    {
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Commit(At(7), 2 * Part).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Commit(_address - 4096, Part).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Bind(At(8), Part, NumaPlacement.Prefer(new(0))).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Release(_address, Part).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Release(At(1), Part).Failure);
    }

    [Fact]
    public void QueryNode_IsThatOfThePage()
    {
        _memory.PageAttributes = 0x0003_0001;
        Assert.True(_provider.QueryNode(_address + 5, out var nodeId).Succeeded);
        Assert.Equal(3, nodeId?.Value);
        _memory.PageAttributes = 0;
        Assert.True(_provider.QueryNode(_address, out nodeId).Succeeded);
        Assert.Null(nodeId);
    }

    [Fact]
    public void OffWindows_EverythingIsNotSupported()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        var provider = new WindowsMemoryProvider();
        Assert.Equal(NumaFailure.NotSupported, provider.Reserve(Size, Part, out var address).Failure);
        Assert.Equal(0, address);
        Assert.Equal(NumaFailure.NotSupported, provider.QueryNode(1, out _).Failure);
        Assert.Equal("this system is not Windows", provider.Commit(1, Part).ErrorName);
    }

    private nint At(int part) => _address + (part * (nint)Part);
}
