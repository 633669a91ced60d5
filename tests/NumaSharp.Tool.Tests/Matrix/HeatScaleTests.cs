using NumaSharp.Tool.Matrix;

namespace NumaSharp.Tool.Tests.Matrix;

public sealed class HeatScaleTests
{
    [Theory]
    [InlineData(false, 0, 0.5, 1)]
    [InlineData(true, 1, 0.5, 0)]
    public void HeatOf_LowMiddleHigh_GoesFromBestToWorst(bool higherIsBetter, double low, double middle, double high)
    {
        var scale = new HeatScale([300, 100, 200], higherIsBetter);

        Assert.Equal((100, 300), (scale.Minimum, scale.Maximum));
        Assert.Equal([low, middle, high], new double[] { 100, 200, 300 }.Select(scale.HeatOf));
    }

    [Fact]
    public void StyleOf_Values_AreGreenYellowRed()
    {
        var scale = new HeatScale([0, 1], higherIsBetter: false);
        var (best, worst) = (scale.StyleOf(0).Background, scale.StyleOf(1).Background);

        Assert.True(best.G > best.R && worst.R > worst.G);
        Assert.Equal(3, new double[] { 0, 0.5, 1 }.Select(scale.StyleOf).Distinct().Count());
    }

    [Theory]
    [InlineData(100, 104, true)]
    [InlineData(100, 106, false)]
    public void IsFlat_WithinNoise_HasOneColour(double low, double high, bool isFlat)
    {
        var scale = new HeatScale([low, high], higherIsBetter: true);

        Assert.Equal(isFlat, scale.IsFlat);
        Assert.Equal(isFlat, scale.StyleOf(low).Equals(scale.StyleOf(high)));
    }

    [Fact]
    public void HeatOf_NothingMeasured_IsFlat() => Assert.True(new HeatScale([], higherIsBetter: true).IsFlat);
}
