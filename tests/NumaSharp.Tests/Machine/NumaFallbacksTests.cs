using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed class NumaFallbacksTests
{
    [Fact]
    public void Withdraw_OfAFeature_LeavesTheOthersAndTheCount()
    {
        var fallbacks = new NumaFallbacks();
        var reported = new CallLog<NumaFallback>();
        fallbacks.Reported += (_, fallback) => reported.Add(fallback);
        var (other, first, second) = (
            new NumaFallback("memory.bind", "A", new(1)),
            new NumaFallback("topology.reread", "B"),
            new NumaFallback("topology.reread", "C", new(1)));
        fallbacks.Report(first);
        fallbacks.Report(other);
        fallbacks.Report(second);
        var withdrawn = new CallLog<NumaFallback>();
        fallbacks.Withdrawn += (_, fallback) => withdrawn.Add(fallback);
        fallbacks.Withdraw("topology.reread");
        fallbacks.Withdraw("topology.reread");
        Assert.Equal([first, second], withdrawn);
        Assert.Equal([other], fallbacks.Current);
        Assert.Equal(3, fallbacks.ReportCount);

        fallbacks.Report(first);
        Assert.Equal([first, other, second, first], reported);
        Assert.Equal([other, first], fallbacks.Current);
        Assert.Throws<ArgumentException>(() => fallbacks.Withdraw(""));
    }

    [Fact]
    public void Disclaim_ByOneOfTwoOwners_ItHoldsUntilBothHave()
    {
        var fallbacks = new NumaFallbacks();
        var withdrawn = new CallLog<NumaFallback>();
        fallbacks.Withdrawn += (_, fallback) => withdrawn.Add(fallback);
        var (pool, allocator, other) = (
            new NumaFallback("memory.bind", "A", new(1)),
            new NumaFallback("memory.bind", "B", new(1)),
            new NumaFallback("memory.bind", "C", new(2)));
        fallbacks.Claim(pool);
        fallbacks.Claim(allocator);
        fallbacks.Claim(other);
        Assert.Equal([pool, other], fallbacks.Current);
        Assert.Equal(3, fallbacks.ReportCount);

        fallbacks.Disclaim("memory.bind", new(1));
        Assert.Equal([pool, other], fallbacks.Current);
        Assert.Empty(withdrawn);
        fallbacks.Disclaim("memory.bind", new(1));
        Assert.Equal([other], fallbacks.Current);
        Assert.Equal([pool], withdrawn);
    }

    [Fact]
    public void Hold_ByTwo_ItHoldsUntilBothAreDisposed()
    {
        var fallbacks = new NumaFallbacks();
        var fallback = new NumaFallback("acme.pages", "A", new(1));
        var (first, second) = (fallbacks.Hold(fallback), fallbacks.Hold(fallback));
        Assert.Equal([fallback], fallbacks.Current);
        first.Dispose();
        first.Dispose();
        Assert.Equal([fallback], fallbacks.Current);
        second.Dispose();
        Assert.Empty(fallbacks.Current);
        Assert.Equal(2, fallbacks.ReportCount);

        using (fallbacks.Hold(fallback))
        {
            fallbacks.Withdraw("acme.pages");
            Assert.Empty(fallbacks.Current);
        }

        Assert.Empty(fallbacks.Current);
        Assert.Throws<ArgumentNullException>(() => fallbacks.Hold(null!));
    }

    [Fact]
    public void Claim_OfTwoSubjects_EachIsAnnouncedAndTakenBackByItself()
    {
        var fallbacks = new NumaFallbacks();
        var calls = new CallLog<string>();
        fallbacks.Reported += (_, fallback) => calls.Add($"+{fallback.Message}");
        fallbacks.Withdrawn += (_, fallback) => calls.Add($"-{fallback.Message}");
        var (one, other) = (new ClaimedFallbacks(fallbacks, "one"), new ClaimedFallbacks(fallbacks, "other"));
        one.Report(FallbackCatalog.UdpGro, "A");
        one.Report(FallbackCatalog.UdpGro, "A, again");
        one.Report(FallbackCatalog.UdpGso, "B");
        other.Report(FallbackCatalog.UdpGro, "A");
        Assert.Equal(["A", "B", "A"], fallbacks.Current.Select(static fallback => fallback.Message));
        Assert.Equal(4, fallbacks.ReportCount);

        one.End(FallbackCatalog.UdpGso);
        one.End(FallbackCatalog.UdpBroadcast);
        other.EndAll();
        Assert.Equal(["A"], fallbacks.Current.Select(static fallback => fallback.Message));
        one.EndAll();
        one.EndAll();
        one.Report(FallbackCatalog.UdpGro, "Too late");
        Assert.Equal(["+A", "+B", "+A", "-B", "-A", "-A"], calls);
        Assert.Empty(fallbacks.Current);
    }

    [Fact]
    public void Withdraw_OfAFeature_TakesItFromAllSubjects()
    {
        var fallbacks = new NumaFallbacks();
        fallbacks.Claim(new NumaFallback("a", "A"), "one");
        fallbacks.Claim(new NumaFallback("a", "A"), "other");
        fallbacks.Report(new NumaFallback("a", "A"));
        fallbacks.Report(new NumaFallback("b", "B"));
        Assert.Equal(4, fallbacks.Current.Count);
        fallbacks.Withdraw("a");
        Assert.Equal("b", Assert.Single(fallbacks.Current).Feature);
        fallbacks.Disclaim("a", null, "one");
    }

    [Fact]
    public void Report_AndWithdraw_AreReportedInTheirOrder()
    {
        var fallbacks = new NumaFallbacks();
        var calls = new CallLog<string>();
        fallbacks.Reported += (_, fallback) => calls.Add($"+{fallback.Feature}");
        fallbacks.Withdrawn += (_, fallback) => calls.Add($"-{fallback.Feature}");
        fallbacks.Report(new NumaFallback("a", "A"));
        fallbacks.Withdraw("a");
        fallbacks.Report(new NumaFallback("b", "B"));

        Assert.Equal(["+a", "-a", "+b"], calls);
    }

    [Fact]
    public void Report_AHandlerThrows_TheReporterContinuesAndTheOthersAreCalled()
    {
        var fallbacks = new NumaFallbacks();
        var calls = new CallLog<string>();
        fallbacks.Reported += static (_, _) => throw new InvalidDataException("handler");
        fallbacks.Reported += (_, fallback) => calls.Add(fallback.Feature);
        fallbacks.Report(new NumaFallback("a", "A"));
        fallbacks.Report(new NumaFallback("b", "B"));

        Assert.Equal(["a", "b"], calls);
    }

    // Handlers never run within a report: it holds the lock that keeps the list and its announcements together.
    [Fact]
    public void Report_HandlersReportAndWithdraw_TheListStaysWhole()
    {
        var fallbacks = new NumaFallbacks();
        var (again, calls) = (0, new CallLog<string>());
        fallbacks.Reported += (_, fallback) =>
        {
            calls.Add($"+{fallback.Feature}");
            if (again++ == 0)
            {
                fallbacks.Withdraw(fallback.Feature);
            }
        };
        fallbacks.Withdrawn += (_, fallback) =>
        {
            calls.Add($"-{fallback.Feature}");
            fallbacks.Report(fallback);
        };
        fallbacks.Report(new NumaFallback("a", "A"));

        Assert.Equal(["+a", "-a", "+a"], calls);
        Assert.Equal("a", Assert.Single(fallbacks.Current).Feature);
    }

    [Fact]
    public void Report_AHandlerBlocks_NoReporterWaits()
    {
        var fallbacks = new NumaFallbacks();
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var calls = new CallLog<string>();
        fallbacks.Reported += (_, _) =>
        {
            entered.Set();
            Wait.For(release);
        };
        fallbacks.Reported += (_, fallback) => calls.Add(fallback.Feature);
        fallbacks.Report(new NumaFallback("a", "A"));
        Wait.For(entered);

        // Both would never return if they waited for the handler.
        fallbacks.Report(new NumaFallback("b", "B"));
        fallbacks.Withdraw("a");
        Assert.Equal(["b"], fallbacks.Current.Select(static fallback => fallback.Feature));
        release.Set();
        Assert.Equal(["a", "b"], calls);
    }
}
