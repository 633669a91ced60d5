using NumaSharp.Core;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class NodeMemoryReaderTests
{
    private readonly FakePlatform _platform = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly SettableTime _time = new();
    private readonly NodeMemoryReader _reader;

    private NumaTopology _topology;
    private TimeSpan _interval = TimeSpan.FromSeconds(5);

    public NodeMemoryReaderTests()
    {
        _topology = _platform.Read();
        _reader = new(new NumaPlatform(_platform, _platform, _platform), () => _topology, _fallbacks, () => _interval, _time);
    }

    [Fact]
    public void Read_WithinTheInterval_DoesNotTouchTheMachine()
    {
        var before = _platform.Reads;
        _reader.Read();
        _reader.Read();
        Assert.Equal(before, _platform.Reads);
    }

    [Fact]
    public void Read_AfterTheInterval_IsFresh()
    {
        _platform.MemoryFreeBytes = 7;
        Assert.NotEqual(7, _reader.Read()[0].MemoryFreeBytes);
        _time.Now += _interval;
        Assert.Equal(7, _reader.Read()[0].MemoryFreeBytes);
    }

    [Fact]
    public void Read_IntervalChanges_HoldsFromTheNextReadOn()
    {
        _reader.Read();
        _platform.MemoryFreeBytes = 7;
        _time.Now += _interval / 2;
        Assert.NotEqual(7, _reader.Read()[0].MemoryFreeBytes);
        _interval /= 2;
        Assert.Equal(7, _reader.Read()[0].MemoryFreeBytes);
    }

    [Fact]
    public void Read_ProviderWithStatistics_IsNotAskedForTheMachine()
    {
        var before = _platform.Reads;
        _platform.Statistics = static nodeId => Figures(100 + nodeId);
        Assert.Equal([100, 101], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal([8, 8], _reader.Read().Select(static node => node.MemoryBytes));
        _time.Now += _interval;
        _platform.Statistics = static nodeId => Figures(200 + nodeId);
        Assert.Equal([200, 201], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal(before, _platform.Reads);
    }

    [Fact]
    public void Read_WithinTheInterval_AsksForStatisticsOnce()
    {
        var asked = 0;
        _platform.Statistics = nodeId => Figures(++asked);
        _reader.Read();
        _reader.Read();
        Assert.Equal(2, asked);
    }

    [Fact]
    public void Read_OneNodeCannotBeRead_KeepsItsLastFiguresAndSaysSo()
    {
        _platform.Statistics = static nodeId => Figures(nodeId);
        _reader.Read();
        _time.Now += _interval;
        _platform.Statistics = static nodeId => nodeId == 0 ? throw new NumaException("Gone.") : Figures(50);
        Assert.Equal([0, 50], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Read_AllNodesAgain_IsReportedNoLonger()
    {
        _platform.Statistics = static nodeId => nodeId == 0 ? throw new NumaException("Gone.") : Figures(50);
        _reader.Read();
        _time.Now += _interval;
        _reader.Read();
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);

        _platform.Statistics = static nodeId => Figures(nodeId);
        _reader.Read();
        Assert.Single(_fallbacks.Current);
        _time.Now += _interval;
        _reader.Read();
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_ProviderThrowsWhatItMayNot_KeepsTheLastFiguresAndSaysSo()
    {
        _platform.Statistics = static nodeId => Figures(nodeId);
        _reader.Read();
        _time.Now += _interval;
        _platform.Statistics = static _ => throw new InvalidTimeZoneException("broken plugin");
        Assert.Equal([0, 1], _reader.Read().Select(static node => node.Counters!.Hit));
        Assert.Contains("broken plugin", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_OneNodeIsGone_HasFiguresOfTheOther()
    {
        _platform.Statistics = static nodeId => nodeId == 0 ? null : Figures(50);
        Assert.Equal(1, Assert.Single(_reader.Read()).NodeId);
    }

    [Fact]
    public void Read_NodesComeAndGo_AreTheOnesOfTheMachineNow()
    {
        _platform.Statistics = static nodeId => Figures(nodeId);
        var both = _topology;
        _topology = new NumaTopology("Test", [both.Nodes[1]]);
        Assert.Equal([1], _reader.Read().Select(static node => node.NodeId));
        _topology = both;
        _time.Now += _interval;
        Assert.Equal([0, 1], _reader.Read().Select(static node => node.NodeId));
    }

    [Fact]
    public void Read_ProviderWithoutStatistics_HasNoCounters() =>
        Assert.All(_reader.Read(), static node => Assert.Null(node.Counters));

    [Fact]
    public void Read_MachineCannotBeRead_KeepsTheLastFiguresAndSaysSo()
    {
        _reader.Read();
        _platform.ReadFailure = new NumaException("Gone.");
        _time.Now += _interval;
        Assert.Equal(2, _reader.Read().Count);
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);
    }

    private static NumaNodeStatistics Figures(long hit) =>
        new(MemoryBytes: 8, MemoryFreeBytes: 3, hit, Miss: 0, Foreign: 0, InterleaveHit: 0, Local: 0, Other: 0);

    private sealed class SettableTime : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
