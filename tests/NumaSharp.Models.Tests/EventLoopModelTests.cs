namespace NumaSharp.Models.Tests;

/// <summary>
/// tests/Models/EventLoop*.pml: in every reachable state, the claims hold; and without one of the things that the rules ask for,
/// the checker finds what goes wrong. EventLoop.README.md there describes the variants.
/// </summary>
public static class EventLoopModelTests
{
    [Trait("tier", "deep")]
    public sealed class Loops
    {
        [Theory]
        [InlineData("POSTS=0 EVENTS=1 BLOCKS=1")]
        [InlineData("THREADS=2 POSTS=3 EVENTS=0 BLOCKS=1")]
        [InlineData("THREADS=2 POSTERS=2 EVENTS=0")]
        [InlineData("THREADS=2 EVENTS=1")]
        [InlineData("THREADS=2 EVENTS=0 AT_HAND BLOCKS=1")]
        [InlineData("POSTS=0 EVENTS=1 MAX_SPARES=1")]
        [InlineData("THREADS=2 POSTS=1 EVENTS=0 PLACES=1")]
        [InlineData("UNWATCHED THREADS=1 EVENTS=0 AT_HAND PLACES=1")]
        [InlineData("UNWATCHED THREADS=1 EVENTS=0 AT_HAND STOP")]
        [InlineData("UNWATCHED THREADS=2 RESTARTS=1 FAILURES=1")]
        [InlineData("THREADS=2 EVENTS=0 FAILURES=2")]
        [InlineData("THREADS=2 POSTS=0 FAILURES=1")]
        [InlineData("THREADS=2 EVENTS=0 CHANGES=1")]
        [InlineData("THREADS=2 EVENTS=0 BLOCKS=1 CHANGES=1")]
        [InlineData("THREADS=2 POSTS=0 EVENTS=0 PLACES=1 CHANGES=1")]
        [InlineData("THREADS=2 POSTS=0 EVENTS=0 RESTARTS=1 CHANGES=1")]
        [InlineData("THREADS=2 POSTS=0 EVENTS=0 FAILURES=1 CHANGES=1")]
        [InlineData("THREADS=2 POSTS=0 EVENTS=0 CHANGES=1 STOP")]
        [InlineData("POSTS=1 EVENTS=0 STOP")]
        [InlineData("POSTS=1 EVENTS=0 BLOCKS=1 STOP")]
        [InlineData("WATCHDOG_IS_LEFT STOP THREADS=2 EVENTS=0")]
        [InlineData("NEIGHBOUR POSTS=0 EVENTS=1")]
        [InlineData("NEIGHBOUR THREADS=2 POSTS=1 EVENTS=0 STOP")]
        [InlineData("RESTARTS=1 EVENTS=0")]
        [InlineData("RESTARTS=1 AT_ONCE EVENTS=0 AT_HAND")]
        [InlineData("RESTARTS=1 THREADS=2 EVENTS=0")]
        [InlineData("RESTARTS=1 THREADS=2 POSTS=0")]
        [InlineData("RESTARTS=1 THREADS=4 POSTS=0 EVENTS=0 STOP")]
        public void Rules_Hold(string variant) => ModelAssert.Holds("EventLoop.pml", variant);
    }

    // A class of its own, which runs beside the others.
    [Trait("tier", "deep")]
    public sealed class LoopFaults
    {
        [Theory]
        [InlineData("PLAIN_LEAVE")]
        [InlineData("STEAL_WITHOUT_COMPARE")]
        [InlineData("NO_SEQUENCE")]
        [InlineData("ENTER_BEFORE_RUNNING BLOCKS=1")]
        [InlineData("BATCH_ON_STACK POSTS=0")]
        [InlineData("WAITS_WITH_EVENTS THREADS=2 EVENTS=0 AT_HAND")]
        [InlineData("TAKEN_ON_STACK POSTERS=2 EVENTS=0")]
        [InlineData("LATE_CLEARS")]
        [InlineData("PLAIN_PUSH EVENTS=0")]
        [InlineData("PLAIN_ANNOUNCE EVENTS=0")]
        [InlineData("NO_LOOK_BEFORE_SLEEP EVENTS=0")]
        [InlineData("PLAIN_MARK THREADS=2 POSTS=3 EVENTS=0")]
        [InlineData("NO_ON_HANDED_OVER BLOCKS=1")]
        [InlineData("CORK_WITHOUT_THE_HINT BLOCKS=1 EVENTS=0")]
        [InlineData("NO_ALARM BLOCKS=1 EVENTS=0")]
        [InlineData("PLAIN_OFF THREADS=2 POSTS=2 EVENTS=0 BLOCKS=1")]
        [InlineData("NO_LOOK_AFTER_LETTING_GO THREADS=2 POSTS=2 EVENTS=0 BLOCKS=1")]
        [InlineData("NO_LOOK_AFTER_TAKING_BACK THREADS=2 POSTS=3 EVENTS=0 BLOCKS=1")]
        [InlineData("PLAIN_ON THREADS=2 EVENTS=0 CHANGES=1")]
        [InlineData("NO_FENCE_AFTER_CHANGE THREADS=2 EVENTS=0 CHANGES=1")]
        [InlineData("NO_LOOK_AFTER_SET THREADS=2 EVENTS=0 CHANGES=1")]
        [InlineData("UNPARK_BEFORE_HOLDER POSTS=0")]
        [InlineData("ENTER_AFTER_STEAL WATCHDOG_IS_LEFT STOP EVENTS=0")]
        [InlineData("ENTER_WITHOUT_COMPARE WATCHDOG_IS_LEFT STOP EVENTS=0")]
        [InlineData("STOP_FORGETS_SPARES STOP EVENTS=0")]
        [InlineData("NO_FENCE_AFTER_PLACEMENT PLACES=1 EVENTS=0")]
        [InlineData("NO_LOOK_AT_PLACEMENT PLACES=1 EVENTS=0")]
        [InlineData("NO_LOOK_AT_FAILURE UNWATCHED THREADS=1 FAILURES=1")]
        [InlineData("NO_LOOK_AT_FAILURE THREADS=2 EVENTS=0 FAILURES=1")]
        [InlineData("NO_LOOK_AT_RESTART RESTARTS=1 THREADS=2 EVENTS=0")]
        [InlineData("NOTHING_REPORTED RESTARTS=1 THREADS=2 POSTS=0")]
        [InlineData("NO_LOOK_AFTER_START RESTARTS=1 THREADS=4 POSTS=0 EVENTS=0 STOP")]
        public void Rules_WithAFault_AreBroken(string fault) => ModelAssert.Fails("EventLoop.pml", fault);
    }

    [Trait("tier", "deep")]
    public sealed class Connections
    {
        [Theory]
        [InlineData("ARRIVALS=2 STEALS=1")]
        [InlineData("ARRIVALS=1 STEALS=2")]
        [InlineData("ARRIVALS=2 STEALS=1 BLOCKS=1")]
        [InlineData("ARRIVALS=2 STEALS=1 JOURNEYS=1")]
        public void Reads_AreDeliveredOnceAndNothingIsHeldBack(string variant) =>
            ModelAssert.Holds("EventLoopConnection.pml", variant);

        [Theory]
        [InlineData("NO_LOCK")]
        [InlineData("HINT_AS_LOCK")]
        [InlineData("DELIVER_WITHOUT_LOCK")]
        [InlineData("NO_POST_ON_HANDED_OVER BLOCKS=1")]
        [InlineData("NOTE_LATE BLOCKS=1")]
        [InlineData("NO_POST_OF_ONES_OWN BLOCKS=1")]
        [InlineData("BREAK_WITHOUT_LOCK BLOCKS=1")]
        [InlineData("NO_SEND_IN_POST")]
        [InlineData("POST_BEFORE_MARK")]
        [InlineData("NO_POST_AFTER_CONTINUATION JOURNEYS=1")]
        [InlineData("NO_POST_AT_THE_END_OF_THE_BUDGET")]
        public void Reads_WithAFault_AreNot(string fault) => ModelAssert.Fails("EventLoopConnection.pml", fault);
    }
}
