using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class AlternationTests
{
    [Fact]
    public void Order_TwoSides_IsAbba() =>
        Assert.Equal([0, 1, 1, 0, 0, 1, 1, 0], Enumerable.Range(0, 4).SelectMany(round => Alternation.Order(2, round)));

    [Fact]
    public void Order_ThreeSides_HasEachOnceInEveryRound() =>
        Assert.All(Enumerable.Range(0, 7), round => Assert.Equal([0, 1, 2], Alternation.Order(3, round).Order()));
}
