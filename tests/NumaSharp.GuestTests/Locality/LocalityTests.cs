using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Locality;

/// <summary>Two nodes with two CPUs each, and one without CPUs.</summary>
public sealed class LocalityTests : ThreeNodeTests
{
    [Fact]
    public Task Ours_WhereMemoryIsBound_EveryPageIsOnTheRightNode() => LocalityTable.MeasureAsync();
}
