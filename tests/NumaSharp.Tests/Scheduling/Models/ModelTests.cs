namespace NumaSharp.Tests.Scheduling.Models;

/// <summary>
/// tests/Models: every reachable state of the queues and of the wake-up protocol is right. And the checker can fail: without one
/// of the things that the code does it finds what goes wrong.
/// </summary>
public static class ModelTests
{
    public sealed class WorkDeque : Checked
    {
        [Theory]
        [InlineData("SC")]
        [InlineData("DEPTH=3")]
        [InlineData("THIEVES=1 ITEMS=4")]
        public void Items_InEveryOrder_AreTakenOnce(string variant) => AssertHolds("WorkDeque.pml", variant);

        [Theory]
        [InlineData("NO_FENCE")]
        [InlineData("BOTTOM_BEFORE_TOP")]
        [InlineData("CLAIM_BEFORE_COPY")]
        [InlineData("THIEF_CLEARS")]
        public void Items_WithAFault_AreNot(string fault) => AssertFails("WorkDeque.pml", fault);
    }

    public abstract class Checked
    {
        private protected static void AssertHolds(string model, string variant)
        {
            var result = Spin.Check(model, variant);
            Assert.True(result is { Errors: 0, IsComplete: true }, result.Output);
            TestContext.Current.TestOutputHelper?.WriteLine($"{model} {variant}: {result.States} states");
        }

        private protected static void AssertFails(string model, string variant)
        {
            var result = Spin.Check(model, variant);
            Assert.True(result.Errors > 0, result.Output);
            Assert.Contains("assertion violated", result.Output, StringComparison.Ordinal);
        }
    }
}
