namespace NumaSharp.TestKit.Tests;

public sealed class AllocationsTests
{
    [Fact]
    public void OfSteadyState_TestWithoutTheTrait_SaysWhichItLacks()
    {
        var failure = Assert.ThrowsAny<Exception>(static () => { Allocations.OfSteadyState(static () => { }); });
        Assert.Contains("[Trait(\"kind\", \"allocation\")]", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void OfAllocating_OperationThatAllocates_IsAtLeastThat()
    {
        object? kept = null;
        Assert.InRange(Allocations.OfAllocating(() => kept = new byte[100], count: 10, warmUp: 10), 1_000, long.MaxValue);
        Assert.NotNull(kept);
        Assert.Equal(0, Allocations.OfSteadyState(() => kept = null));
    }

    // As where the compiler has much to do, and comes late to the code.
    [Fact]
    [Trait("kind", "allocation")]
    public void OfSteadyState_OperationThatAllocatesForManyAttempts_IsThatOfTheFirstWithout()
    {
        object? kept = null;
        var runs = 0;
        Assert.Equal(0, Allocations.OfSteadyState(() => kept = ++runs < 50 ? new byte[100] : null, count: 1, warmUp: 0));
        Assert.Null(kept);
        Assert.InRange(runs, 50, int.MaxValue);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void Attempts_NoPatience_AreTheFewestUnlessOneIsEnough()
    {
        var attempts = new AllocationAttempts(fewest: 3, enough: 10, patience: TimeSpan.Zero);
        attempts.Add(11);
        attempts.Add(12);
        Assert.False(attempts.AreOver);
        attempts.Add(13);

        // Some time has to pass: the clock may not have moved yet.
        Wait.Until(() => attempts.AreOver);
        Assert.Equal(11, attempts.Least);

        var enough = new AllocationAttempts(fewest: 3, enough: 10);
        enough.Add(10);
        Assert.True(enough.AreOver);
    }
}
