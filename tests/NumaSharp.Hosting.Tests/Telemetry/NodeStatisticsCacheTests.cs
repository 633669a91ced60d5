using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class NodeStatisticsCacheTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();
    private readonly INumaTopologyProvider _provider = Substitute.For<INumaTopologyProvider>();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly ManualTime _time = new();
    private readonly NodeStatisticsCache _reader;

    private NumaTopology _topology;
    private TimeSpan _interval = TimeSpan.FromSeconds(5);

    public NodeStatisticsCacheTests()
    {
        _topology = _machine.Platform.Topology.Read();
        _provider.Read().Returns(_ => _machine.Platform.Topology.Read());
        Answer(static _ => null);
        _reader = new(_machine.PlatformWith(_provider), () => _topology, _fallbacks, () => _interval, _time);
    }

    [Fact]
    public void Read_WithinTheInterval_DoesNotTouchTheMachine()
    {
        var before = _machine.GetCallCount(SimulatedOperation.Read);
        _reader.Read();
        _reader.Read();
        Assert.Equal(before, _machine.GetCallCount(SimulatedOperation.Read));
    }

    [Fact]
    public void Read_AfterTheInterval_IsFresh()
    {
        _machine.Change(static machine => machine.Nodes[0].MemoryBytes = 7);
        Assert.NotEqual(7, _reader.Read()[0].MemoryFreeBytes);
        _time.Advance(_interval);
        Assert.Equal(7, _reader.Read()[0].MemoryFreeBytes);
    }

    [Fact]
    public void Read_IntervalChanges_HoldsFromTheNextReadOn()
    {
        _reader.Read();
        _machine.Change(static machine => machine.Nodes[0].MemoryBytes = 7);
        _time.Advance(_interval / 2);
        Assert.NotEqual(7, _reader.Read()[0].MemoryFreeBytes);
        _interval /= 2;
        Assert.Equal(7, _reader.Read()[0].MemoryFreeBytes);
    }

    [Fact]
    public void Read_ProviderWithStatistics_IsNotAskedForTheMachine()
    {
        var before = _machine.GetCallCount(SimulatedOperation.Read);
        Answer(static nodeId => Figures(100 + nodeId));
        Assert.Equal([100, 101], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal([8, 8], _reader.Read().Select(static node => node.MemoryBytes));
        _time.Advance(_interval);
        Answer(static nodeId => Figures(200 + nodeId));
        Assert.Equal([200, 201], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal(before, _machine.GetCallCount(SimulatedOperation.Read));
    }

    [Fact]
    public void Read_WithinTheInterval_AsksForStatisticsOnce()
    {
        var asked = 0;
        Answer(nodeId => Figures(++asked));
        _reader.Read();
        _reader.Read();
        Assert.Equal(2, asked);
    }

    [Fact]
    public void Read_OneNodeCannotBeRead_KeepsItsLastFiguresAndSaysSo()
    {
        Answer(static nodeId => Figures(nodeId));
        _reader.Read();
        _time.Advance(_interval);
        Answer(static nodeId => nodeId == 0 ? throw new NumaException("Gone.") : Figures(50));
        Assert.Equal([0, 50], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Read_AllNodesAgain_IsReportedNoLonger()
    {
        Answer(static nodeId => nodeId == 0 ? throw new NumaException("Gone.") : Figures(50));
        _reader.Read();
        _time.Advance(_interval);
        _reader.Read();
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);

        Answer(static nodeId => Figures(nodeId));
        _reader.Read();
        Assert.Single(_fallbacks.Current);
        _time.Advance(_interval);
        _reader.Read();
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_ProviderThrowsWhatItMayNot_KeepsTheLastFiguresAndSaysSo()
    {
        Answer(static nodeId => Figures(nodeId));
        _reader.Read();
        _time.Advance(_interval);
        Answer(static _ => throw new InvalidTimeZoneException("broken plugin"));
        Assert.Equal([0, 1], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Contains("broken plugin", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_OneNodeIsGone_HasFiguresOfTheOther()
    {
        Answer(static nodeId => nodeId == 0 ? null : Figures(50));
        Assert.Equal(1, Assert.Single(_reader.Read()).NodeId.Value);
    }

    [Fact]
    public void Read_NodesComeAndGo_AreTheOnesOfTheMachineNow()
    {
        Answer(static nodeId => Figures(nodeId));
        var both = _topology;
        _topology = new NumaTopology("Test", [both.Nodes[1]]);
        Assert.Equal([1], _reader.Read().Select(static node => node.NodeId.Value));
        _topology = both;
        _time.Advance(_interval);
        Assert.Equal([0, 1], _reader.Read().Select(static node => node.NodeId.Value));
    }

    [Fact]
    public void Read_ProviderWaitsForAnotherReader_ThatOneHasTheLastFigures()
    {
        Answer(static nodeId => Figures(nodeId));
        _reader.Read();
        _time.Advance(_interval);
        IReadOnlyList<NodeFigures> others = [];
        Answer(nodeId =>
        {
            others = TestThreads.Run(() => _reader.Read());
            return Figures(100 + nodeId);
        });

        Assert.Equal([100, 101], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal([0, 1], others.Select(static node => node.Counters!.Hit));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_ProviderWithoutStatistics_HasNoCounters() =>
        Assert.All(_reader.Read(), static node => Assert.Null(node.Counters));

    [Fact]
    public void Read_MachineCannotBeRead_KeepsTheLastFiguresAndSaysSo()
    {
        _reader.Read();
        _machine.Inject(new SimulatedFault(SimulatedOperation.Read, SimulatedError.EIO));
        _time.Advance(_interval);
        Assert.Equal(2, _reader.Read().Count);
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);
    }

    // What is answered from now on for a node; without an answer it has no statistics.
    private void Answer(Func<int, NumaNodeStatistics?> statistics) =>
        _provider.ReadStatistics(Arg.Any<NumaNodeId>()).Returns(call => statistics(call.Arg<NumaNodeId>().Value));

    private static NumaNodeStatistics Figures(long hit) =>
        new() { MemoryBytes = 8, MemoryFreeBytes = 3, Hit = hit };
}
