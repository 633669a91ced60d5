using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class MixedSizesTests
{
    [Fact]
    public void Of_ManyNumbers_AreSmallOnesAndFewPages()
    {
        var sizes = Some();

        Assert.All(sizes, size => Assert.True(size is (>= 16 and <= 512) or 4096, $"{size}"));
        Assert.InRange(sizes.Count(size => size == 4096), sizes.Length / 128, sizes.Length / 32);
        Assert.InRange(sizes.Order().ElementAt(sizes.Length / 2), 64, 96);
    }

    internal static int[] Some()
    {
        var random = Xorshift.Seed;
        return [.. Enumerable.Range(0, 4096).Select(_ => MixedSizes.Of(random = Xorshift.Next(random)))];
    }
}
