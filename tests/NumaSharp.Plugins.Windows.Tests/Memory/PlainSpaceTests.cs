using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Memory;

/// <summary>Without placeholders, as before Windows Server 2019 and under Wine 8.</summary>
public sealed class PlainSpaceTests
{
    private const nuint Size = 4 << 20;
    private const nuint Alignment = 2 << 20;

    private readonly FakeMemory _memory = new() { HasPlaceholders = false };
    private readonly WindowsMemoryProvider _provider;

    public PlainSpaceTests() => _provider = new WindowsMemoryProvider(_memory);

    [Fact]
    public void Reserve_Aligned_KeepsNothingBesides()
    {
        Assert.Equal(0, Reserve() % (nint)Alignment);
        Assert.Equal(1, _memory.Count);
    }

    [Fact]
    public void Reserve_PlaceTakenMeanwhile_TriesAnother()
    {
        var others = 3;
        _memory.BeforeReserve = address =>
        {
            if (address != 0 && others-- > 0)
            {
                Take(address);
            }
        };
        Assert.Equal(0, Reserve() % (nint)Alignment);
    }

    [Fact]
    public void Reserve_PlaceTakenEveryTime_EndsWithTheSystemsReason()
    {
        _memory.BeforeReserve = address =>
        {
            if (address != 0)
            {
                Take(address);
            }
        };
        Assert.Equal("ERROR_INVALID_ADDRESS", _provider.Reserve(Size, Alignment, out var start).ErrorName);
        Assert.Equal(0, start);
    }

    [Fact]
    public void Reserve_MoreThanThereIs_IsOutOfMemory() =>
        Assert.Equal(NumaFailure.OutOfMemory, _provider.Reserve(nuint.MaxValue - 4095, Alignment, out _).Failure);

    [Fact]
    public void Bind_WholeReservation_IsRecreatedOnTheNode()
    {
        var address = Reserve();
        Assert.True(_provider.Bind(address, Size, NumaPlacement.Prefer(new(1))).Succeeded);
        Assert.Equal(1, _memory.NodeOf(address));
        Assert.True(_provider.Commit(address, Size).Succeeded);
    }

    [Fact]
    public void Bind_PartOrCommitted_IsNotSupportedAndStaysUsable()
    {
        var address = Reserve();
        Assert.Equal(NumaFailure.NotSupported, _provider.Bind(address, Size / 2, NumaPlacement.Prefer(new(1))).Failure);
        Assert.True(_provider.Commit(address, Size / 2).Succeeded);
        Assert.Equal(NumaFailure.NotSupported, _provider.Bind(address, Size, NumaPlacement.Prefer(new(1))).Failure);
        Assert.True(_memory.IsCommitted(address));
    }

    [Fact]
    public void Bind_NodeThatIsNotThere_IsInvalidAndStaysUsable()
    {
        var address = Reserve();
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Bind(address, Size, NumaPlacement.Prefer(new(99))).Failure);
        Assert.True(_provider.Commit(address, Size).Succeeded);
        Assert.Null(_memory.NodeOf(address));
    }

    [Fact]
    public void Bind_AddressLostMeanwhile_IsNeverTouchedNorFreedNorHandedOutAgain()
    {
        var address = Reserve();
        _memory.BeforeReserve = Take;
        Assert.False(_provider.Bind(address, Size, NumaPlacement.Prefer(new(1))).Succeeded);
        _memory.BeforeReserve = null;

        Assert.Equal(NumaFailure.InvalidArgument, _provider.Commit(address, Size).Failure);
        Assert.Equal(NumaFailure.InvalidArgument, _provider.Advise(address, Size, NumaMemoryAdvice.Discard).Failure);
        Assert.True(_provider.Release(address, Size).Succeeded);
        Assert.Equal(1, _memory.Count);

        // The other one gives it up, and the system offers it once more.
        _memory.Free(address);
        _memory.NextAddress = address;
        Assert.True(_provider.Reserve(Size, 0, out var another).Succeeded);
        Assert.NotEqual(address, another);
    }

    private nint Reserve()
    {
        Assert.True(_provider.Reserve(Size, Alignment, out var address).Succeeded);
        return address;
    }

    // What another thread does between two calls.
    private void Take(nint address)
    {
        var other = _memory.BeforeReserve;
        _memory.BeforeReserve = null;
        _memory.Reserve(address, Size, null, out _);
        _memory.BeforeReserve = other;
    }
}
