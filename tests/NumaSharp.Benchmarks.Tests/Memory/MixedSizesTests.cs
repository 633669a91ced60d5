using NumaSharp.Playground.Benchmarks.Memory;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class MixedSizesTests
{
    [Fact]
    public void Table_TwoOfThem_AreTheSame() => Assert.Equal(MixedSizes.Table(), MixedSizes.Table());

    [Fact]
    public void Table_Sizes_AreSmallOnesAndFewPages()
    {
        var sizes = MixedSizes.Table();

        Assert.All(sizes, size => Assert.True(size is (>= 16 and <= 512) or 4096, $"{size}"));
        Assert.InRange(sizes.Count(size => size == 4096), sizes.Length / 128, sizes.Length / 32);
        Assert.InRange(sizes.Order().ElementAt(sizes.Length / 2), 64, 96);
    }
}
