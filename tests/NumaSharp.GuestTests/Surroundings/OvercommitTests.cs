using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>
/// A system that promises no more than it has: address space costs nothing there, what is committed counts, and what it refuses
/// is an exception. Nothing is touched here, so that the guest's memory is enough.
/// </summary>
public sealed unsafe class OvercommitTests : ThreeNodeTests, IDisposable
{
    private const long MiB = 1 << 20;
    private const long GiB = 1L << 30;
    private const int Ratio = 100;

    // What the allocator keeps for itself, slabs and chunks, and what the runtime takes meanwhile.
    private const long Aside = 64 * MiB;

    // The runtime lives on what is left when the rest is taken.
    private const long ForTheRuntime = 256 * MiB;

    private readonly Overcommit _overcommit;
    private readonly NumaPlan _plan = NumaPlan.Create(NumaTopology.Instance);

    // Not where the field is: that would come before the base class's constructor, which skips on other machines.
    public OvercommitTests() => _overcommit = new Overcommit(Ratio);

    [Fact]
    public void Allocator_Strict_ReservesAndPaysForWhatIsCommitted()
    {
        var before = Overcommit.PromisedBytes;
        using var allocator = new NumaAllocator(_plan, new NumaAllocatorOptions { AddressSpacePerNode = 256 * GiB });
        Assert.InRange(Overcommit.PromisedBytes - before, 0, Aside);

        var small = allocator.Allocate(100);
        var large = allocator.Allocate((nuint)(200 * MiB));
        Assert.InRange(Overcommit.PromisedBytes - before, allocator.CommittedBytes, allocator.CommittedBytes + Aside);
        Say("allocator", before, allocator.CommittedBytes, reserved: 256 * GiB * _plan.Nodes.Count);
        allocator.Free(small);
        allocator.Free(large);
        allocator.Trim();
        Assert.InRange(Overcommit.PromisedBytes - before, 0, Aside);
    }

    [Fact]
    public void Allocator_NothingLeft_ThrowsAndRecovers()
    {
        using var allocator = new NumaAllocator(_plan);
        var most = allocator.Allocate((nuint)(Overcommit.LeftBytes - ForTheRuntime));
        var exception = Assert.Throws<OutOfMemoryException>(() => allocator.Allocate((nuint)(ForTheRuntime + (64 * MiB))));
        Assert.Contains("got no memory for", exception.Message, StringComparison.Ordinal);
        Assert.Contains("(ENOMEM)", exception.Message, StringComparison.Ordinal);

        allocator.Free(most);
        var again = allocator.Allocate((nuint)(ForTheRuntime + (64 * MiB)));
        Pages.Touch((nint)again, 1);
        allocator.Free(again);
        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Fact]
    public void Pools_Strict_PayForWhatIsCommittedAndThrowWhenNothingIsLeft()
    {
        var before = Overcommit.PromisedBytes;
        using var pools = new NumaMemoryPools(_plan);
        using var small = pools[0].RentBlock();
        using var other = pools[1].RentBlock();
        var committed = pools[0].CommittedBytes + pools[1].CommittedBytes;
        Assert.InRange(committed, 1, MiB);
        Assert.InRange(Overcommit.PromisedBytes - before, committed, committed + Aside);
        Say("pools", before, committed, reserved: 4 * MiB);

        var most = pools[0].RentBlock((int)(Overcommit.LeftBytes - ForTheRuntime));
        var exception = Assert.Throws<OutOfMemoryException>(() => pools[0].RentBlock((int)(ForTheRuntime + (64 * MiB))));
        Assert.Contains("(ENOMEM)", exception.Message, StringComparison.Ordinal);
        most.Dispose();
        using var again = pools[0].RentBlock((int)(ForTheRuntime + (64 * MiB)));
        again.GetSpan()[0] = 1;
    }

    public void Dispose() => _overcommit.Dispose();

    private static void Say(string kind, long before, long committed, long reserved) => Console.WriteLine(
        $"overcommit_memory=2: {kind} of {reserved / MiB} MiB address space, {committed / MiB} MiB committed: "
        + $"Committed_AS grew by {(Overcommit.PromisedBytes - before) / MiB} MiB");
}
