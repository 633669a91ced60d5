using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Reporting;

public sealed class BenchmarkRowTests
{
    private static readonly RowTarget s_none = new(null, null);

    [Fact]
    public void Cost_HalfOfTheirs_HasRatioOneHalf() =>
        Assert.Equal(0.5, BenchmarkRow.Cost("r", "p", 10, 20, "us", s_none).Ratio);

    [Fact]
    public void Rate_TwiceTheirs_HasRatioOneHalf() =>
        Assert.Equal(0.5, BenchmarkRow.Rate("r", "p", 20, 10, "1/s", s_none).Ratio);

    [Fact]
    public void Rate_WithARequirement_IsJudgedByTheirsThroughOurs()
    {
        var row = BenchmarkRow.Rate("r", "p", 16, 10, "1/s", new RowTarget(0.625, null));

        Assert.Equal(0.625, row.Ratio);
        Assert.True(row.Met);
    }

    [Theory]
    [InlineData(6.0, true)]
    [InlineData(6.0004, true)]
    [InlineData(6.01, false)]
    public void Met_RatioAroundTheRequirement_JudgesTheRoundedRatio(double ours, bool expected) =>
        Assert.Equal(expected, BenchmarkRow.Cost("r", "p", ours, 10, "us", new RowTarget(0.6, null)).Met);

    [Fact]
    public void Limit_BelowIt_IsAShareOfItAndRequiresOne()
    {
        var row = BenchmarkRow.Limit("idle", 250, 1000, "us/s");

        Assert.Equal(("limit", 1000.0, 0.25, 1.0), (row.Peer, row.Theirs, row.Ratio, row.Target.Required!.Value));
        Assert.True(row.Met);
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(3, false)]
    public void Limit_Zero_HasOursAsItsRatioAndRequiresZero(double ours, bool expected)
    {
        var row = BenchmarkRow.Limit("bytes", ours, 0, "bytes");

        Assert.Equal((ours, 0.0, 0.0), (row.Ratio, row.Theirs, row.Target.Required!.Value));
        Assert.Equal(expected, row.Met);
    }

    [Theory]
    [InlineData(0, 0, true)]
    [InlineData(1, 0, false)]
    [InlineData(0, 6, true)]
    [InlineData(6, 6, true)]
    [InlineData(7, 6, false)]
    public void Count_Required_IsMetByAtMostTheirs(long ours, long theirs, bool expected) =>
        Assert.Equal(expected, BenchmarkRow.Count("r", "p", ours, theirs, "requests", isRequired: true).Met);

    [Fact]
    public void Count_NotRequired_HasNoVerdict() =>
        Assert.Null(BenchmarkRow.Count("r", "p", 7, 6, "requests", isRequired: false).Met);

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(double.NaN, 1)]
    [InlineData(double.PositiveInfinity, 1)]
    public void Cost_WithoutAFiniteRatio_IsRefused(double ours, double theirs) =>
        Assert.Throws<BenchmarkException>(() => BenchmarkRow.Cost("r", "p", ours, theirs, "us", s_none));
}
