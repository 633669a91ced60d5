using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.FourNodes;

/// <summary>Four nodes with one CPU each.</summary>
public sealed class ManagedHeapTests : FourNodeTests
{
    [Fact]
    public Task Settings_OfThePackage_EveryNodeAllocatesFromItself() => ManagedHeapTable.MeasureAsync([0, 1, 2, 3]);
}
