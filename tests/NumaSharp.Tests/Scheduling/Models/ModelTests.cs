namespace NumaSharp.Tests.Scheduling.Models;

/// <summary>
/// tests/Models: in every reachable state, the claims hold. And the checker can fail: without one of the things that the code
/// does, it finds what goes wrong. What the variants are is told in README.md there.
/// </summary>
public static class ModelTests
{
    public sealed class WorkDeque
    {
        [Theory]
        [InlineData("SC ITEMS=3")]
        [InlineData("ITEMS=3 DEPTH=3")]
        [InlineData("ITEMS=5 THIEVES=1")]
        public void Items_AreTakenOnce(string variant) => AssertHolds("WorkDeque.pml", variant);

        [Theory]
        [InlineData("ITEMS=3 NO_FENCE")]
        [InlineData("ITEMS=3 BOTTOM_BEFORE_TOP")]
        [InlineData("ITEMS=3 CLAIM_BEFORE_COPY")]
        [InlineData("ITEMS=3 THIEF_CLEARS")]
        public void Items_WithAFault_AreNot(string fault) => AssertFails("WorkDeque.pml", fault);
    }

    public sealed class WorkRing
    {
        [Theory]
        [InlineData("ITEMS=3 CONSUMERS=1")]
        [InlineData("ITEMS=4 PRODUCERS=1")]
        public void Items_AreTakenOnceInOrder(string variant) => AssertHolds("WorkRing.pml", variant);

        [Theory]
        [InlineData("SEQUENCE_BEFORE_ITEM")]
        [InlineData("PAST_WHAT_IS_BEING_WRITTEN")]
        public void Items_WithAFault_AreNot(string fault) => AssertFails("WorkRing.pml", fault);
    }

    public sealed class Parker
    {
        [Fact]
        public void Signals_AreNeverLost() => AssertHolds("Parker.pml", "SIGNALLERS=3");

        [Theory]
        [InlineData("PLAIN_STORE")]
        [InlineData("NO_WAKE")]
        public void Signals_WithAFault_Are(string fault) => AssertFails("Parker.pml", fault);
    }

    public sealed class Wakeups
    {
        [Theory]
        [InlineData("WORKERS=2 PRODUCERS=2")]
        [InlineData("WORKERS=1 PRODUCERS=2 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("WORKERS=2 PRODUCERS=1 BLOCKS=1 SPAWNS=1")]
        [InlineData("WORKERS=2 PRODUCERS=1 BLOCKS=1 BLOCKING_MONITOR SPARE")]
        [InlineData("WORKERS=2 PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT")]
        [InlineData("WORKERS=2 PRODUCERS=1 PLACES=1")]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=2 BLOCKS=1 GROUPS=2 STEAL")]
        [InlineData("WORKERS=1 PRODUCERS=2 END")]
        [InlineData("WORKERS=2 PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT END DRAIN")]
        public void Wakeups_AreNeverLost(string variant) => AssertHolds("Wakeups.pml", variant);

        [Theory]
        [InlineData("NO_FENCE")]
        [InlineData("NO_FENCE PRODUCERS=1 PLACES=1")]
        [InlineData("NO_LOOK_BEFORE_SLEEP")]
        [InlineData("NO_LOOK_AFTER_SEARCH BLOCKS=1")]
        [InlineData("NO_LOOK_AFTER_GIVING_BACK")]
        [InlineData("SATURATED_IN_VAIN WORKERS=1 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("SATURATED_IN_VAIN BLOCKS=1 GROUPS=2 STEAL ONE_TARGET")]
        [InlineData("NO_LOOK_BEFORE_MONITOR_SLEEPS WORKERS=1 PRODUCERS=1 ITEMS=2 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("EXPIRED_KEEPS_ITS_SEARCH SPARE")]
        [InlineData("NO_LOOK_AT_PHASE PRODUCERS=1 END")]
        [InlineData("UNCHANGED_BY_NUMBERS PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT END DRAIN")]
        public void Wakeups_WithAFault_Are(string fault) => AssertFails("Wakeups.pml", fault);
    }

    internal static void AssertHolds(string model, string variant)
    {
        var result = Spin.Check(model, variant);
        TestContext.Current.TestOutputHelper?.WriteLine($"{model} {variant}: {result.States} states");
        Assert.True(result is { Errors: 0, IsComplete: true }, result.Output);
    }

    internal static void AssertFails(string model, string variant)
    {
        var result = Spin.Check(model, variant);
        Assert.True(result.Errors > 0, result.Output);
        Assert.Contains("assertion violated", result.Output, StringComparison.Ordinal);
    }
}
