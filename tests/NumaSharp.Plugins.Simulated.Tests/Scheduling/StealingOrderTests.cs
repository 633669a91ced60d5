using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Plugins.Simulated.Tests.Scheduling;

/// <summary>Machines of random distances, of 1 to 64 nodes, with CPU ids far beyond 1024.</summary>
public sealed class StealingOrderTests
{
    private const int Seeds = 5;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    [InlineData(64)]
    public void LocalityFirst_OneNodeFree_RunsItsOwnThenTheNearestThatPays(int nodes)
    {
        for (var seed = 0; seed < Seeds; seed++)
        {
            var random = new Random(seed);
            var machine = Machine(nodes, random);
            using var simulated = new SimulatedMachine(machine);

            // The farthest of 64 nodes lets go of two items only once they are overdue.
            using var scheduler = Start(simulated, NumaSchedulingPolicy.LocalityFirst, mayBecomeOverdue: true);
            var queued = Enumerable.Range(0, nodes * 2).Select(i => i % nodes).ToArray();
            random.Shuffle(queued);
            using var done = scheduler.Queue(queued);
            var thief = random.Next(nodes);

            scheduler.Release(thief);
            var ran = scheduler.WaitFor(done);

            Assert.All(ran, item => Assert.Equal(thief, item.On));
            var distances = machine.Nodes[thief].Distances;
            var backlog = Enumerable.Repeat(2, nodes).ToArray();
            foreach (var (from, _) in ran)
            {
                // One worker a node: a steal pays from (distance - 10) / 20 items on, or when the node's work is overdue.
                Assert.DoesNotContain(
                    Enumerable.Range(0, nodes),
                    node => distances[node] < distances[from]
                        && backlog[node] >= Math.Max(1, (distances[node] - 10) / 20));
                backlog[from]--;
            }

            Assert.Equal([thief, thief], ran.Take(2).Select(static item => item.From));
            Assert.Equal((nodes - 1) * 2, scheduler.GetStolen(thief));
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(64)]
    public void NodeStrict_OneNodeAfterTheOtherFree_EachRunsItsOwn(int nodes)
    {
        var random = new Random(nodes);
        using var simulated = new SimulatedMachine(Machine(nodes, random));
        using var scheduler = Start(simulated, NumaSchedulingPolicy.NodeStrict);
        var order = scheduler.Workers;
        random.Shuffle(order);
        var waiting = order.ToDictionary(static node => node, node => scheduler.Queue([node, node, node]));

        foreach (var node in order)
        {
            Assert.Equal(3, scheduler.Scheduler.GetStatistics(node).QueueLength);
            scheduler.Release(node);
            Assert.Equal([(node, node), (node, node), (node, node)], scheduler.WaitFor(waiting[node]));
        }

        Assert.All(order, node => Assert.Equal(0, scheduler.GetStolen(node)));
    }

    [Theory]
    [InlineData(NumaSchedulingPolicy.NodeStrict)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst)]
    public void NodesWithoutCpus_Work_RunsOnTheNearestWithSome(NumaSchedulingPolicy policy)
    {
        for (var seed = 0; seed < Seeds; seed++)
        {
            var machine = Machine(12, new Random(seed));
            for (var id = 1; id < 12; id += 2)
            {
                machine.Nodes[id].Cpus = CpuSet.Empty;
            }

            using var simulated = new SimulatedMachine(machine);
            using var scheduler = Start(simulated, policy);
            for (var id = 1; id < 12; id += 2)
            {
                var nearest = scheduler.Workers.MinBy(node => machine.Nodes[id].Distances[node]);
                using var done = scheduler.Queue([id]);
                Assert.Equal(1, scheduler.Scheduler.GetStatistics(nearest).QueueLength);
                scheduler.Release(nearest);
                Assert.Equal([(id, nearest)], scheduler.WaitFor(done));
                scheduler.Hold(nearest);
            }
        }
    }

    private static OccupiedScheduler Start(
        SimulatedMachine machine, NumaSchedulingPolicy policy, bool mayBecomeOverdue = false) =>
        new(NumaPlan.Create(machine.Platform.Topology.Read()), machine.Platform.Affinity, policy, mayBecomeOverdue);

    // One CPU per node: CPU ids go up to some 5000, with gaps. No two distances of a node are alike up to 64 nodes.
    private static SimulatedMachineOptions Machine(int nodes, Random random)
    {
        var machine = new SimulatedMachineOptions();
        for (var id = 0; id < nodes; id++)
        {
            var distances = Enumerable.Range(11, nodes).ToArray();
            random.Shuffle(distances);
            distances[id] = 10;
            machine.Nodes.Add(TestMachines.NodeOptions(id, $"{(id * 79) + random.Next(79)}", 1 << 30, distances));
        }

        return machine;
    }
}
