using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.GuestTests.FourNodes;

/// <summary>Which worker takes work of other nodes, and in which order, with every other worker held.</summary>
public sealed class StealingTests : FourNodeTests
{
    private const int Tries = 9;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public void LocalityFirst_OneNodeFree_RunsItsOwnThenTheNearest(int thief)
    {
        using var scheduler = Start(NumaSchedulingPolicy.LocalityFirst);
        using var done = scheduler.Queue([3, 1, 0, 2, 0, 2, 3, 1]);

        scheduler.Release(thief);
        var ran = scheduler.WaitFor(done);

        Assert.All(ran, item => Assert.Equal(thief, item.On));
        var distances = ran.Select(item => DistanceOf(thief, item.From)).ToArray();
        Assert.Equal(distances.Order(), distances);
        Assert.Equal(6, scheduler.GetStolen(thief));
    }

    [Fact]
    public async Task LocalityFirst_TwoNodesFree_TheNearerOneIsWoken()
    {
        using var scheduler = Start(NumaSchedulingPolicy.LocalityFirst);
        scheduler.Release(1);
        scheduler.Release(3);
        await Wait.UntilAsync(() => scheduler.GetExecuted(1) + scheduler.GetExecuted(3) == 2, static () => "nodes 1 and 3");
        for (var i = 0; i < Tries; i++)
        {
            await IdleThreads.WaitForAsync("numa");
            using var done = scheduler.Queue([0]);

            // However late node 1 gets its CPU: no work becomes overdue, so nothing wakes node 3.
            Assert.Equal([(0, 1)], scheduler.WaitFor(done));
        }
    }

    [Fact]
    public void NodeStrict_OneNodeAfterTheOtherFree_EachRunsItsOwn()
    {
        using var scheduler = Start(NumaSchedulingPolicy.NodeStrict);
        var waiting = Enumerable.Range(0, Nodes).Select(node => scheduler.Queue([node, node])).ToArray();

        foreach (var node in new[] { 2, 0, 3, 1 })
        {
            Assert.Equal(2, scheduler.Scheduler.GetStatistics(node).QueueLength);
            scheduler.Release(node);
            Assert.Equal([(node, node), (node, node)], scheduler.WaitFor(waiting[node]));
        }

        Assert.All(Enumerable.Range(0, Nodes), node => Assert.Equal(0, scheduler.GetStolen(node)));
    }

    private static OccupiedScheduler Start(NumaSchedulingPolicy policy)
    {
        var scheduler = new OccupiedScheduler(NumaPlan.Create(NumaTopology.Instance), NumaPlatform.Default.Affinity, policy);
        Assert.Equal(Enumerable.Range(0, Nodes), scheduler.Workers);
        return scheduler;
    }
}
