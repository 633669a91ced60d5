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

    [Fact]
    public void Report_WhileAnnouncementsAreHeld_CountsAtOnceAndAnnouncesAtTheOutermostEnd()
    {
        var fallbacks = new NumaFallbacks();
        var announced = new List<string>();
        fallbacks.Reported += fallback => announced.Add($"+{fallback.Feature}");
        fallbacks.Withdrawn += fallback => announced.Add($"-{fallback.Feature}");
        using (HeldAnnouncements.Begin())
        {
            using (HeldAnnouncements.Begin())
            {
                fallbacks.Report(new NumaFallback("a", "A"));
                fallbacks.Withdraw("a");
            }

            fallbacks.Report(new NumaFallback("b", "B"));
            Assert.Equal((2, "b"), (fallbacks.Count, Assert.Single(fallbacks.Current).Feature));
            Assert.Empty(announced);
        }

        Assert.Equal(["+a", "-a", "+b"], announced);
    }

    [Fact]
    public void Report_WhileAnnouncementsAreHeldAndHandlersThrow_AllAreAnnouncedAndTheExceptionsComeOut()
    {
        var fallbacks = new NumaFallbacks();
        var announced = 0;
        fallbacks.Reported += _ => throw new InvalidDataException($"{++announced}");

        var exception = Assert.Throws<AggregateException>(() =>
        {
            using var announcements = HeldAnnouncements.Begin();
            fallbacks.Report(new NumaFallback("a", "A"));
            fallbacks.Report(new NumaFallback("b", "B"));
        });
        Assert.Equal(["1", "2"], exception.InnerExceptions.Select(static inner => inner.Message));
        Assert.Throws<InvalidDataException>(() => fallbacks.Report(new NumaFallback("c", "C")));
    }
}
