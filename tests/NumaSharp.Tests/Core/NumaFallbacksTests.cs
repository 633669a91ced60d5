using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed class NumaFallbacksTests
{
    [Fact]
    public void Withdraw_OfAFeature_LeavesTheOthersAndTheCount()
    {
        var fallbacks = new NumaFallbacks();
        var reported = new List<NumaFallback>();
        fallbacks.Reported += reported.Add;
        var (other, first, second) = (
            new NumaFallback("memory.bind", "A", 1),
            new NumaFallback("topology.reread", "B"),
            new NumaFallback("topology.reread", "C", 1));
        fallbacks.Report(first);
        fallbacks.Report(other);
        fallbacks.Report(second);
        var withdrawn = new List<NumaFallback>();
        fallbacks.Withdrawn += withdrawn.Add;
        fallbacks.Withdraw("topology.reread");
        fallbacks.Withdraw("topology.reread");
        Assert.Equal([first, second], withdrawn);
        Assert.Equal([other], fallbacks.Current);
        Assert.Equal(3, fallbacks.Count);

        fallbacks.Report(first);
        Assert.Equal([first, other, second, first], reported);
        Assert.Equal([other, first], fallbacks.Current);
        Assert.Throws<ArgumentException>(() => fallbacks.Withdraw(""));
    }

    [Fact]
    public void Disclaim_ByOneOfTwoOwners_ItHoldsUntilBothHave()
    {
        var fallbacks = new NumaFallbacks();
        var withdrawn = new List<NumaFallback>();
        fallbacks.Withdrawn += withdrawn.Add;
        var (pool, allocator, other) = (
            new NumaFallback("memory.bind", "A", 1),
            new NumaFallback("memory.bind", "B", 1),
            new NumaFallback("memory.bind", "C", 2));
        fallbacks.Claim(pool);
        fallbacks.Claim(allocator);
        fallbacks.Claim(other);
        Assert.Equal([pool, other], fallbacks.Current);
        Assert.Equal(3, fallbacks.Count);

        fallbacks.Disclaim("memory.bind", 1);
        Assert.Equal([pool, other], fallbacks.Current);
        Assert.Empty(withdrawn);
        fallbacks.Disclaim("memory.bind", 1);
        Assert.Equal([other], fallbacks.Current);
        Assert.Equal([pool], withdrawn);
    }
}
