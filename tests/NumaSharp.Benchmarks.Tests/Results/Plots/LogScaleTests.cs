using NumaSharp.Playground.Benchmarks.Results.Plots;

namespace NumaSharp.Benchmarks.Tests.Results.Plots;

public sealed class LogScaleTests
{
    [Theory]
    [InlineData(new[] { 0.3, 1.5 }, new[] { 0.2, 0.5, 1, 2 })]
    [InlineData(new[] { 1.0 }, new[] { 1.0, 2 })]
    [InlineData(new[] { 0.02, 4096 }, new[] { 0.1, 1, 10, 100, 1000 })]
    [InlineData(new[] { 0.0, -1 }, new[] { 1.0, 2, 5, 10 })]
    public void Ticks_Values_AreStepsAroundThem(double[] values, double[] expected) => Assert.Equal(
        expected, LogScale.Of(values, 0, 100).Ticks, static (one, other) => Math.Abs((one / other) - 1) < 1e-6);

    [Fact]
    public void At_EqualFactors_AreEquallyFar()
    {
        var scale = LogScale.Of([1, 99], 100, 200);

        Assert.Equal(100, scale.At(1));
        Assert.Equal(150, scale.At(10), 6);
        Assert.Equal(200, scale.At(100));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(-1, 0)]
    [InlineData(0.001, 0)]
    [InlineData(1000, 100)]
    public void At_ValueBeyondAnEdge_IsAtTheEdge(double value, double expected) =>
        Assert.Equal(expected, LogScale.Of([0.5, 1000], 0, 100, least: 0.01, most: 100).At(value));
}
