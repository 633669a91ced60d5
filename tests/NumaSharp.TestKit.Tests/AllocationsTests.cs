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
    public void OfSteadyState_OperationThatAllocates_IsAtLeastThat()
    {
        object? kept = null;
        Assert.InRange(Allocations.OfSteadyState(() => kept = new byte[100], count: 10, warmUp: 10), 1_000, long.MaxValue);
        Assert.NotNull(kept);
        Assert.Equal(0, Allocations.OfSteadyState(() => kept = null));
    }
}
