using Microsoft.Extensions.Logging;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class HandOverReportTests
{
    private readonly ManualTime _time = new();
    private readonly CountingLogger _logger = new();
    private readonly LoopCounters _counters = new(0, 0);
    private readonly HandOverReport _report;

    public HandOverReportTests() =>
        _report = new HandOverReport(new EpollTransportLog(_logger), TimeSpan.FromMilliseconds(1), [_counters], _time);

    [Fact]
    public void OnHandedOver_AFew_CountsAndSaysNothing()
    {
        HandOver(HandOverReport.Many - 1);

        Assert.Equal(HandOverReport.Many - 1, _counters.Read().HandOvers);
        Assert.Equal(0, _logger.Count);
    }

    [Fact]
    public void OnHandedOver_ManyInAMinute_SaysItOnce()
    {
        HandOver(HandOverReport.Many * 10);

        Assert.Equal(1, _logger.Count);
    }

    [Fact]
    public void OnHandedOver_ManyInEveryMinute_SaysItOnceAMinute()
    {
        for (var minute = 0; minute < 3; minute++)
        {
            HandOver(HandOverReport.Many);
            _time.Advance(TimeSpan.FromSeconds(61));
        }

        Assert.Equal(3, _logger.Count);
    }

    private void HandOver(int times)
    {
        for (var i = 0; i < times; i++)
        {
            _report.OnHandedOver(0);
        }
    }

    private sealed class CountingLogger : ILogger
    {
        public int Count { get; private set; }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            Assert.Equal(507, eventId.Id);
            Count++;
        }
    }
}
