using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Resident;

namespace NumaSharp.Benchmarks.Tests.Http.Resident;

public sealed class AttackMemoryTests
{
    [Fact]
    public void Of_NoSideOfOurs_HasNoRows() => Assert.Null(AttackMemory.Of(null, static _ => true));

    [Fact]
    public void RowNames_OtherThanTheDefault_SayWhoseTheyAre() => Assert.Equal(
        ["after attack resident node"],
        AttackMemory.Of(ServerSide.Ours(DispatchMode.Node), static name => name.StartsWith("after", StringComparison.Ordinal))!
            .RowNames);

    [Fact]
    public void WorstMoment_OursIsLargestLater_IsTheLargestMultiple() =>
        Assert.Equal(1, AttackMemory.WorstMoment([100, 40, 30], [100, 10, 30]));

    // Below a page per connection a multiple means nothing, and what was given back meanwhile is less than nothing.
    [Fact]
    public void WorstMoment_TheirsIsNothing_IsNoDivisionByIt() =>
        Assert.Equal(2, AttackMemory.WorstMoment([-3, 2, 40], [-5, 0.001, 10]));
}
