using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Resident;

namespace NumaSharp.Benchmarks.Tests.Http.Resident;

public sealed class HttpMemoryTests
{
    [Fact]
    public void Of_NoSideOfOurs_HasNoRows() => Assert.Empty(HttpMemory.Of(null, static _ => true));

    [Fact]
    public void RowNames_OtherThanTheDefault_SayWhoseTheyAre() => Assert.Equal(
        ["after burst resident node", "after attack resident node"],
        HttpMemory.Of(ServerSide.Ours(DispatchMode.Node), static name => name.StartsWith("after", StringComparison.Ordinal))
            .SelectMany(static memory => memory.RowNames));

    [Fact]
    public void WorstMoment_OursIsLargestLater_IsTheLargestMultiple() =>
        Assert.Equal(1, HttpMemory.WorstMoment([100, 40, 30], [100, 10, 30]));

    // A server that gives back meanwhile what it had before holds less than nothing.
    [Theory]
    [InlineData(-3_000_000, 4)]
    [InlineData(100, 4)]
    [InlineData(8192, 8)]
    public void PerConnection_LessThanAPage_CountsAsOne(double bytes, double expected) =>
        Assert.Equal(expected, AttackMemory.PerConnection(bytes));
}
