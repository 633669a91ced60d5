using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class CrossNodeSamplingTests
{
    private readonly LoopCounters _counters = new(nodeId: new(0), loopIndex: 0);

    [Fact]
    public void OnSampled_OneOf64_StandsForAll()
    {
        _counters.OnSampled(isCrossNode: false);
        _counters.OnSampled(isCrossNode: true);
        _counters.OnSampled(isCrossNode: true);

        var statistics = _counters.Read();
        Assert.Equal((192, 128), (statistics.EstimatedReceives, statistics.CrossNodeReceives));
    }

    // 64 connections, or any other number, that take turns: no connection is sampled for all.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(64)]
    [InlineData(61)]
    public void IsSampled_ConnectionsThatTakeTurns_HaveTheirShareEach(int connections)
    {
        const int Each = 1000;
        var sampled = new int[connections];
        for (var i = 0; i < Each * CrossNodeSampling.Interval * connections; i++)
        {
            if (_counters.IsSampled())
            {
                sampled[i % connections]++;
            }
        }

        Assert.All(sampled, static count => Assert.InRange(count, Each * 8 / 10, Each * 12 / 10));
    }

    [Fact]
    public void Of_AMachineWithOneNode_IsNone() =>
        Assert.Null(CrossNodeSampling.Of(TestMachines.Row(4, 0).Read()));

    [Theory]
    [InlineData(1, 0, false)]
    [InlineData(1, 2, true)]
    [InlineData(5, 2, false)]
    [InlineData(3, 0, null)]
    [InlineData(-1, 0, null)]
    [InlineData(1000, 0, null)]
    public void IsElsewhere_ACpu_IsAnotherNodes(int cpu, int node, bool? expected) =>
        Assert.Equal(expected, CrossNodeSampling.Of(WithGaps.Read())!.IsElsewhere(cpu, new(node)));

    private static SimulatedMachineOptions WithGaps =>
        TestMachines.Of((0, CpuSet.ParseList("0-2")), (2, CpuSet.ParseList("4-6")));
}
