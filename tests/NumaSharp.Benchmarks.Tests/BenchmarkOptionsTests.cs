using NumaSharp.Playground.Benchmarks;

namespace NumaSharp.Benchmarks.Tests;

public sealed class BenchmarkOptionsTests
{
    [Theory]
    [InlineData(null, true)]
    [InlineData("PING", true)]
    [InlineData("ng cp", true)]
    [InlineData("ping-", false)]
    public void Includes_Filter_IsAPartOfTheName(string? filter, bool expected) =>
        Assert.Equal(expected, Options(filter).Includes("ping cpu"));

    [Fact]
    public void NoRow_Filter_IsNamed() => Assert.Equal("no row has 'x' in its name", Options("x").NoRow().Message);

    private static BenchmarkOptions Options(string? filter) => new(Quick: false, null, filter, [], NoiseFloor: false);
}
