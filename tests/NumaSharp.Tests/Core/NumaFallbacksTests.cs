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
            new NumaFallback("memory.bind", "A", 1), new NumaFallback("topology.watch", "B"), new NumaFallback("topology.watch", "C", 1));
        fallbacks.Report(first);
        fallbacks.Report(other);
        fallbacks.Report(second);
        fallbacks.Withdraw("topology.watch");
        fallbacks.Withdraw("topology.watch");
        Assert.Equal([other], fallbacks.Current);
        Assert.Equal(3, fallbacks.Count);

        fallbacks.Report(first);
        Assert.Equal([first, other, second, first], reported);
        Assert.Equal([other, first], fallbacks.Current);
        Assert.Throws<ArgumentException>(() => fallbacks.Withdraw(""));
    }
}
