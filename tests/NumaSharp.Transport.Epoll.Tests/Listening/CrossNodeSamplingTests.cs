using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class CrossNodeSamplingTests
{
    private readonly LoopCounters _counters = new(nodeId: 0, loopIndex: 0);

    [Fact]
    public void IsSampled_OneOf64_StandsForAll()
    {
        for (var i = 0; i < 640; i++)
        {
            if (_counters.IsSampled())
            {
                _counters.OnSampled(isCrossNode: i >= 320);
            }
        }

        var statistics = _counters.Read();
        Assert.Equal((640, 320), (statistics.SampledReceives, statistics.CrossNodeReceives));
    }

    [Fact]
    public void Of_AMachineWithOneNode_IsNone() =>
        Assert.Null(CrossNodeSampling.Of(Machine((0, "0-3"), (1, ""))));

    [Theory]
    [InlineData(1, 0, false)]
    [InlineData(1, 2, true)]
    [InlineData(5, 2, false)]
    [InlineData(3, 0, null)]
    [InlineData(-1, 0, null)]
    [InlineData(1000, 0, null)]
    public void IsElsewhere_ACpu_IsAnotherNodes(int cpu, int node, bool? expected) =>
        Assert.Equal(expected, CrossNodeSampling.Of(Machine((0, "0-2"), (2, "4-6")))!.IsElsewhere(cpu, node));

    private static NumaTopology Machine(params (int Id, string Cpus)[] nodes) => new(
        "Test",
        [
            .. nodes.Select(static node => new NumaNode
            {
                NodeId = node.Id,
                Cpus = CpuSet.ParseList(node.Cpus),
                OnlineCpus = CpuSet.ParseList(node.Cpus),
            }),
        ]);
}
