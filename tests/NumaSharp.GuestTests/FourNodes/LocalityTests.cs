using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.FourNodes;

/// <summary>Four nodes with one CPU each.</summary>
public sealed class LocalityTests : FourNodeTests
{
    [Fact]
    public Task Ours_WhereMemoryIsBound_EveryPageIsOnTheRightNode() => LocalityTable.MeasureAsync();
}
