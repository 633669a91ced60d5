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
        Write(folder, "node0", first);
        if (second is not null)
        {
            Write(folder, "node12", second);
        }

        var placement = new NumaPlacement(NumaPlacementKind.WeightedInterleaved, CpuSet.FromIds(0, 12))
        {
            Weights = [wantedFirst, wantedSecond],
        };

        Assert.Equal(expected, WeightsOf(folder).Match(placement));
    }

    [Fact]
    public void Match_WeightsMissing_IsFalse()
    {
        using var folder = new TemporaryFolder();
        Assert.False(WeightsOf(folder).Match(
            new NumaPlacement(NumaPlacementKind.WeightedInterleaved, CpuSet.FromIds(0))));
    }

    [Theory]
    [InlineData("true\n", true)]
    [InlineData("false\n", false)]
    [InlineData("1", false)]
    [InlineData(null, false)]
    public void AreAutomatic_AsTheKernelSays(string? text, bool expected)
    {
        using var folder = new TemporaryFolder();
        if (text is not null)
        {
            Write(folder, "auto", text);
        }

        Assert.Equal(expected, WeightsOf(folder).AreAutomatic);
    }

    [Fact]
    public void NodeTurns_Weights_AreKeptInEveryRoundAndSpread()
    {
        var turns = new NodeTurns([new(0), new(2), new(5)], [3, 1, 2]);

        Assert.Equal([0, 5, 0, 2, 5, 0, 0, 5, 0, 2, 5, 0], turns.Take(12).Select(static id => id.Value));
        Assert.Equal([7, 9, 7, 9], new NodeTurns([new(7), new(9)], []).Take(4).Select(static id => id.Value));
    }

    private static InterleaveWeights WeightsOf(TemporaryFolder folder) => new(new SysfsReader(folder.Path, new ReadingBudget()));

    private static void Write(TemporaryFolder folder, string name, string text)
    {
        var directory = Directory.CreateDirectory(Path.Join(folder.Path, InterleaveWeights.Folder));
        File.WriteAllText(Path.Join(directory.FullName, name), text);
    }
}
