namespace NumaSharp.Models.Tests;

/// <summary>
/// tests/Models: in every reachable state, the claims hold. And the checker can fail: without one of the things that the code
/// does, it finds what goes wrong. README.md there describes the variants.
/// </summary>
public static class SchedulerModelTests
{
    // A group whose workers all run items that never end, and one of which becomes a spare: then one item is worth stealing.
    private const string FewerElsewhere =
        "BUSY BUSY_GROUP WORKERS=3 PRODUCERS=1 ITEMS=1 GROUPS=2 STEAL PLACES=1 FEWER ENOUGH=2 ENOUGH_THEN=1";

    // Two groups of one worker each: the first one's has been woken, and never gets a CPU.
    private const string Starving =
        "STARVES WORKERS=2 PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL ONE_TARGET BLOCKING_MONITOR";

    // Two groups of one node and one of another, of one worker each; the first one runs an item that never ends. One item comes
    // for the second group, then one for the first.
    private const string Siblings = "BUSY WORKERS=3 PRODUCERS=1 GROUPS=3 STEAL SIBLINGS TWO_TARGETS";

    // The same groups: the worker of the other node runs an item that never ends, and one item comes for it.
    private const string SiblingsHelp = "BUSY BUSY_LAST WORKERS=3 PRODUCERS=1 ITEMS=1 GROUPS=3 STEAL SIBLINGS LAST_TARGET";

    // Two groups of one node: a worker of the first has announced itself, and gets no CPU to show that on its node; another one
    // of the first may sleep; the second's runs an item that never ends.
    private const string Unshown =
        "STARVES_UNSHOWN BUSY BUSY_LAST WORKERS=3 PRODUCERS=1 ITEMS=1 GROUPS=2 STEAL SIBLINGS LAST_TARGET BLOCKING_MONITOR";

    [Trait("tier", "deep")]
    public sealed class WorkDeque
    {
        [Theory]
        [InlineData("SC ITEMS=3")]
        [InlineData("ITEMS=3 DEPTH=3")]
        [InlineData("ITEMS=5 THIEVES=1")]
        [InlineData("ITEMS=3 DEPTH=4 THIEVES=1 ARM")]
        [InlineData("FAIR ITEMS=3 DEPTH=3 THIEVES=1")]
        [InlineData("FAIR ITEMS=3 DEPTH=4 THIEVES=1 ARM")]
        public void Items_AreTakenOnce(string variant) => ModelAssert.Holds("WorkDeque.pml", variant);

        [Theory]
        [InlineData("ITEMS=3 NO_FENCE")]
        [InlineData("ITEMS=3 BOTTOM_BEFORE_TOP")]
        [InlineData("ITEMS=3 CLAIM_BEFORE_COPY")]
        [InlineData("FAIR ITEMS=3 OLDEST_WITHOUT_CLAIM")]
        [InlineData("ITEMS=3 THIEF_CLEARS")]
        [InlineData("ITEMS=3 DEPTH=4 THIEVES=1 ARM PLAIN_BOTTOM")]
        public void Items_WithAFault_AreNot(string fault) => ModelAssert.Fails("WorkDeque.pml", fault);
    }

    [Trait("tier", "deep")]
    public sealed class WorkRing
    {
        [Theory]
        [InlineData("ITEMS=3 CONSUMERS=1")]
        [InlineData("ITEMS=4 PRODUCERS=1")]
        [InlineData("TRIM ITEMS=3 PRODUCERS=1")]
        [InlineData("SLEEP ITEMS=1")]
        [InlineData("SLEEP ITEMS=3 PRODUCERS=1")]
        [InlineData("BATCH=2 ITEMS=3 CONSUMERS=1")]
        [InlineData("BATCH=2 CAPACITY=4 ITEMS=5 PRODUCERS=1")]
        [InlineData("BATCH=2 SLEEP ITEMS=3 PRODUCERS=1")]
        public void Items_AreTakenOnceInOrder(string variant) => ModelAssert.Holds("WorkRing.pml", variant);

        [Theory]
        [InlineData("SEQUENCE_BEFORE_ITEM")]
        [InlineData("SEQUENCE_BEFORE_CLEARING ITEMS=3 PRODUCERS=1 CONSUMERS=1")]
        [InlineData("PAST_WHAT_IS_BEING_WRITTEN")]
        [InlineData("LINKED_BEFORE_CLOSED")]
        [InlineData("LINKED_BEFORE_CLOSED TRIM PRODUCERS=1")]
        [InlineData("EMPTY_AT_FIRST_SIGHT SLEEP ITEMS=3 PRODUCERS=1")]
        [InlineData("REST_UNSEEN BATCH=2")]
        public void Items_WithAFault_AreNot(string fault) => ModelAssert.Fails("WorkRing.pml", fault);
    }

    [Trait("tier", "deep")]
    public sealed class WorkBatch
    {
        [Theory]
        [InlineData("ITEMS=4")]
        [InlineData("ITEMS=7 THIEVES=1 CAPACITY=3")]
        public void Items_AreTakenOnceInOrder(string variant) => ModelAssert.Holds("WorkBatch.pml", variant);

        [Theory]
        [InlineData("CLAIM_BEFORE_COPY")]
        [InlineData("NUMBERS_START_AGAIN")]
        public void Items_WithAFault_AreNot(string fault) => ModelAssert.Fails("WorkBatch.pml", fault);
    }

    [Trait("tier", "deep")]
    public sealed class Parker
    {
        [Fact]
        public void Signals_AreNeverLost() => ModelAssert.Holds("Parker.pml", "SIGNALLERS=3");

        [Theory]
        [InlineData("PLAIN_STORE")]
        [InlineData("NO_WAKE")]
        public void Signals_WithAFault_Are(string fault) => ModelAssert.Fails("Parker.pml", fault);
    }

    [Trait("tier", "deep")]
    public sealed class Wakeups
    {
        [Theory]
        [InlineData("WORKERS=2 PRODUCERS=2")]
        [InlineData("WORKERS=1 PRODUCERS=2 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("WORKERS=2 PRODUCERS=1 BLOCKS=1 SPAWNS=1")]
        [InlineData("WORKERS=2 PRODUCERS=1 BLOCKS=1 BLOCKING_MONITOR SPARE")]
        [InlineData("WORKERS=2 PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT")]
        [InlineData("BATCH WORKERS=2 PRODUCERS=1 ITEMS=3 BLOCKS=1")]
        [InlineData("BATCH HELD_UP WORKERS=2 PRODUCERS=1 ITEMS=3 BLOCKS=1")]
        [InlineData("SPAWNS=1 HELD_UP WORKERS=2 PRODUCERS=1 BLOCKS=1")]
        [InlineData("BATCH WORKERS=2 PRODUCERS=1 ITEMS=3 SPARE RETIREMENT END DRAIN")]
        [InlineData("BATCH WORKERS=1 PRODUCERS=1 ITEMS=3 BLOCKS=1 END")]
        [InlineData("WORKERS=2 PRODUCERS=1 PLACES=1")]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=0 PLACES=1 FEWER")]
        [InlineData("WORKERS=1 PRODUCERS=1 PLACES=1 BLOCKING_MONITOR")]
        [InlineData(FewerElsewhere)]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=2 BLOCKS=1 GROUPS=2 STEAL")]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=3 BLOCKS=1 GROUPS=2 STEAL ENOUGH=2")]
        [InlineData("BUSY WORKERS=2 PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL ENOUGH=3 BLOCKING_MONITOR")]
        [InlineData(Siblings + " ITEMS=2 BLOCKS=1")]
        [InlineData(Siblings + " ITEMS=3 ENOUGH=2")]
        [InlineData("BATCH WORKERS=2 PRODUCERS=1 ITEMS=3 BLOCKS=1 GROUPS=2 STEAL SIBLINGS")]
        [InlineData("BUSY WORKERS=3 PRODUCERS=1 ITEMS=2 BLOCKS=1 GROUPS=2 STEAL SIBLINGS TWO_TARGETS")]
        [InlineData("SIBLINGS " + Starving)]
        [InlineData(SiblingsHelp)]
        [InlineData(Unshown)]
        [InlineData("BUSY WORKERS=2 PRODUCERS=1 ITEMS=1 PLACES=1 GROUPS=2 STEAL SIBLINGS")]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=1 SPARE GROUPS=2 STEAL SIBLINGS")]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL SIBLINGS END DRAIN")]
        [InlineData(Starving)]
        [InlineData("WORKERS=2 PRODUCERS=1 SPAWNS=1 GROUPS=2 END DRAIN")]
        [InlineData("WORKERS=2 PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL END DRAIN")]
        [InlineData("WORKERS=1 PRODUCERS=2 END")]
        [InlineData("WORKERS=1 PRODUCERS=1 END BLOCKING_MONITOR")]
        [InlineData("WORKERS=2 PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT END DRAIN")]
        public void Wakeups_AreNeverLost(string variant) => ModelAssert.Holds("Wakeups.pml", variant);
    }

    // Most of the time is the compiler's: a class of its own, which runs beside the others.
    [Trait("tier", "deep")]
    public sealed class WakeupFaults
    {
        [Theory]
        [InlineData("NO_FENCE")]
        [InlineData("NOT_SIGNALLED PRODUCERS=1")]
        [InlineData("WITHDRAWN_SLEEPS")]
        [InlineData("YIELD_TAKES_SIGNAL PRODUCERS=1")]
        [InlineData("ANNOUNCED_AFTER_YIELD PRODUCERS=1")]
        [InlineData("COUNTED_AFTER_TAKING")]
        [InlineData("NO_LOOK_BEFORE_SLEEP")]
        [InlineData("NO_LOOK_BEFORE_SLEEP PRODUCERS=1 ITEMS=3 BLOCKS=1 GROUPS=2 STEAL ENOUGH=2")]
        [InlineData("NO_LOOK_AFTER_SEARCH BLOCKS=1")]
        [InlineData("NO_LOOK_AFTER_GIVING_BACK")]
        [InlineData("NO_NOTIFY_AFTER_BATCH BATCH PRODUCERS=1 ITEMS=3 BLOCKS=1")]
        [InlineData("SATURATED_IN_VAIN WORKERS=1 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("SATURATED_IN_VAIN BLOCKS=1 GROUPS=2 STEAL ONE_TARGET")]
        [InlineData("NOT_SATURATED_AFTER_SEARCH PRODUCERS=1 ITEMS=3 BLOCKS=1 GROUPS=2 STEAL ENOUGH=2")]
        [InlineData("NOT_SATURATED_AFTER_SEARCH PRODUCERS=1 ITEMS=2 BLOCKS=1 GROUPS=2 STEAL ONE_TARGET")]
        [InlineData("NO_LOOK_AT_SIBLINGS ITEMS=2 BLOCKS=1 " + Siblings)]
        [InlineData("SHOWN_AFTER_LOOK BUSY PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL SIBLINGS TWO_TARGETS")]
        [InlineData("SHOWN_AFTER_LOOK " + SiblingsHelp)]
        [InlineData("OVERDUE_IS_LEFT_TO_THE_HINT " + Unshown)]
        [InlineData("LEFT_UNWATCHED " + Starving)]
        [InlineData("OVERDUE_IS_LEFT_TO_SEARCHERS " + Starving)]
        [InlineData("MONITOR_TRUSTS_SEARCHERS " + Starving)]
        [InlineData("OVERDUE_IS_SAID_ONCE " + Starving)]
        [InlineData("OVERDUE_IN_VAIN BUSY PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL ENOUGH=3 BLOCKING_MONITOR")]
        [InlineData(
            "NO_FENCE_AFTER_OVERDUE OVERDUE_IS_SAID_ONCE BUSY PRODUCERS=1 ITEMS=2 GROUPS=2 STEAL ENOUGH=3 BLOCKING_MONITOR")]
        [InlineData("MONITOR_IS_NOT_WOKEN WORKERS=1 PRODUCERS=1 ITEMS=2 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("NO_LOOK_BEFORE_MONITOR_SLEEPS WORKERS=1 PRODUCERS=1 ITEMS=2 BLOCKS=1 BLOCKING_MONITOR")]
        [InlineData("PLACED_AFTER_WAKING PRODUCERS=1 ITEMS=0 PLACES=1")]
        [InlineData("NO_LOOK_AT_PLACEMENT PRODUCERS=1 ITEMS=0 PLACES=1")]
        [InlineData("BASE_AFTER_WAKING PRODUCERS=1 ITEMS=0 PLACES=1 FEWER")]
        [InlineData("NO_NOTIFY_AFTER_PLACEMENT " + FewerElsewhere)]
        [InlineData("NO_LOOK_AT_PLACEMENTS WORKERS=1 PRODUCERS=1 ITEMS=0 PLACES=1 BLOCKING_MONITOR")]
        [InlineData("MONITOR_IS_NOT_PLACED WORKERS=1 PRODUCERS=1 ITEMS=0 PLACES=1 BLOCKING_MONITOR")]
        [InlineData("EXPIRED_KEEPS_ITS_BIT PRODUCERS=1 SPARE")]
        [InlineData("EXPIRED_KEEPS_ITS_SEARCH SPARE")]
        [InlineData("RETIRES_WITH_ITEMS PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT")]
        [InlineData("NO_LOOK_AFTER_RETIREMENT PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT")]
        [InlineData("NO_LOOK_AT_PHASE PRODUCERS=1 END")]
        [InlineData("PHASE_AFTER_QUEUES PRODUCERS=1 END")]
        [InlineData("STOP_WITHOUT_SIGNAL WORKERS=1 PRODUCERS=1 END BLOCKING_MONITOR")]
        [InlineData("SIGNAL_BEFORE_STOP WORKERS=1 PRODUCERS=1 END BLOCKING_MONITOR")]
        [InlineData("UNCHANGED_BY_NUMBERS PRODUCERS=1 SPAWNS=1 SPARE RETIREMENT END DRAIN")]
        [InlineData("ONE_GROUP_READ_AGAIN PRODUCERS=1 SPAWNS=1 GROUPS=2 END DRAIN")]
        public void Wakeups_WithAFault_Are(string fault) => ModelAssert.Fails("Wakeups.pml", fault);
    }
}
