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

    public NodeMemoryReaderTests() =>
        _reader = new(new NumaPlatform(_platform, _platform, _platform), _platform.Read(), _fallbacks, _time);

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
        _time.Now += NodeMemoryReader.Interval;
        Assert.Equal(7, _reader.Read()[0].MemoryFreeBytes);
    }

    [Fact]
    public void Read_MachineCannotBeRead_KeepsTheLastFiguresAndSaysSo()
    {
        _platform.ReadFailure = new NumaException("Gone.");
        _time.Now += NodeMemoryReader.Interval;
        Assert.Equal(2, _reader.Read().Count);
        Assert.Equal("telemetry.memory", Assert.Single(_fallbacks.Current).Feature);
    }

    private sealed class SettableTime : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
