using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.ManagedHeap;

/// <summary>Two nodes with two CPUs each, and one without CPUs.</summary>
public sealed class ManagedHeapTests : ThreeNodeTests
{
    [Fact]
    public Task Settings_OfThePackage_EveryNodeAllocatesFromItself() => ManagedHeapTable.MeasureAsync(TheMachine.CpuNodes);
}
