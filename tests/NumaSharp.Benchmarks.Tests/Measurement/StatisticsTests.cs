using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class StatisticsTests
{
    [Theory]
    [InlineData(new double[] { 3 }, 3)]
    [InlineData(new double[] { 9, 1, 5 }, 5)]
    [InlineData(new double[] { 4, 1, 100, 2 }, 3)]
    public void Median_AnyOrder_IsTheMiddle(double[] values, double expected) =>
        Assert.Equal(expected, Statistics.Median(values));

    [Fact]
    public void Median_OneOutlier_DoesNotMoveIt() =>
        Assert.Equal(10, Statistics.Median([10, 10, 1_000_000, 10, 10]));

    [Fact]
    public void Median_Nothing_Throws() => Assert.Throws<ArgumentOutOfRangeException>(() => Statistics.Median([]));

    [Fact]
    public void Spread_Values_IsHalfTheRangeInSharesOfTheMedian() =>
        Assert.Equal(0.1, Statistics.Spread([0.9, 1.0, 1.1]), 12);

    [Theory]
    [InlineData(50, 5)]
    [InlineData(99, 10)]
    [InlineData(100, 10)]
    [InlineData(10, 1)]
    [InlineData(1, 1)]
    public void Percentile_TenValues_IsTheNearestRank(double percent, int expected) =>
        Assert.Equal(expected, Statistics.Percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], percent));

    [Fact]
    public void Percentile_HundredValues_NinetyNineExcludesOnlyTheLargest() =>
        Assert.Equal(99, Statistics.Percentile(Enumerable.Range(1, 100).Reverse().ToArray(), 99));

    [Fact]
    public void Percentile_Nothing_Throws() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Statistics.Percentile([], 99));
}
