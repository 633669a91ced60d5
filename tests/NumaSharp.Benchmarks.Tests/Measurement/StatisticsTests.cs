using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class StatisticsTests
{
    [Theory]
    [InlineData(new double[] { 3 }, 0)]
    [InlineData(new double[] { 9, 1, 5 }, 2)]
    [InlineData(new double[] { 1, 1, 1_000_000, 0.9, 1.1 }, 1)]
    [InlineData(new double[] { 4, 1, 100, 2 }, 3)]
    public void MiddleRound_AnyOrder_IsTheOneWithTheMedian(double[] ratios, int expected) =>
        Assert.Equal(expected, Statistics.MiddleRound(ratios));

    [Fact]
    public void MiddleRound_Nothing_Throws() => Assert.Throws<ArgumentOutOfRangeException>(() => Statistics.MiddleRound([]));

    [Fact]
    public void Spread_Outliers_DoNotCount() =>
        Assert.Equal(0.1, Statistics.Spread([0.01, 0.9, 0.95, 1.0, 1.05, 1.1, 700]), 12);

    [Fact]
    public void Spread_EqualValues_IsZero() => Assert.Equal(0, Statistics.Spread([2, 2, 2, 2, 2]));

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
