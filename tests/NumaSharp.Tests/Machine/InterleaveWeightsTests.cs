using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Core.Memory;
using NumaSharp.Tests.Core.Topology;

namespace NumaSharp.Tests.Core.Memory;

public sealed class InterleaveWeightsTests
{
    [Theory]
    [InlineData("3", "1", 3, 1, true)]
    [InlineData("3\n", "1\n", 6, 2, true)]
    [InlineData("200", "100", 2, 1, true)]
    [InlineData("3", "1", 1, 3, false)]
    [InlineData("1", "1", 2, 1, false)]
    [InlineData("0", "0", 1, 1, false)]
    [InlineData("256", "256", 1, 1, false)]
    [InlineData("-1", "-1", 1, 1, false)]
    [InlineData("3", "", 3, 1, false)]
    [InlineData("3", null, 3, 1, false)]
    public void Match_SystemsWeights_ByProportion(string first, string? second, int wantedFirst, int wantedSecond, bool expected)
    {
        using var folder = new TemporaryFolder();
        File.WriteAllText(Path.Join(folder.Path, "node0"), first);
        if (second is not null)
        {
            File.WriteAllText(Path.Join(folder.Path, "node12"), second);
        }

        var placement = new NumaPlacement(NumaPlacementKind.WeightedInterleaved, CpuSet.FromIds(0, 12))
        {
            Weights = [wantedFirst, wantedSecond],
        };

        Assert.Equal(expected, new InterleaveWeights(folder.Path).Match(placement));
    }

    [Fact]
    public void Match_WeightsMissing_IsFalse()
    {
        using var folder = new TemporaryFolder();
        Assert.False(new InterleaveWeights(folder.Path).Match(
            new NumaPlacement(NumaPlacementKind.WeightedInterleaved, CpuSet.FromIds(0))));
    }

    [Fact]
    public void NodeTurns_Weights_AreKeptInEveryRoundAndSpread()
    {
        var turns = new NodeTurns([new(0), new(2), new(5)], [3, 1, 2]);

        Assert.Equal([0, 5, 0, 2, 5, 0, 0, 5, 0, 2, 5, 0], turns.Take(12).Select(static id => id.Value));
        Assert.Equal([7, 9, 7, 9], new NodeTurns([new(7), new(9)], []).Take(4).Select(static id => id.Value));
    }
}
