using Microsoft.Extensions.Logging;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class HandOverReportTests
{
    private readonly ManualTime _time = new();
    private readonly RecordingLogger _logger = new();
    private readonly LoopCounters _counters = new(0, 0);
    private readonly HandOverReport _report;

    public HandOverReportTests() =>
        _report = new HandOverReport(
            new EpollTransportLog(_logger), static () => TimeSpan.FromMilliseconds(1), [_counters], _time);

    [Fact]
    public void OnHandedOver_AFew_CountsAndSaysNothing()
    {
        HandOver(HandOverReport.Many - 1);

        Assert.Equal(HandOverReport.Many - 1, _counters.Read().HandOvers);
        Assert.Empty(_logger.Events);
    }

    [Fact]
    public void OnHandedOver_ManyInAMinute_SaysItOnce()
    {
        HandOver(HandOverReport.Many * 10);

        Assert.Equal([507], _logger.Events);
    }

    [Fact]
    public void OnHandedOver_ManyInEveryMinute_SaysItOnceAMinute()
    {
        for (var minute = 0; minute < 3; minute++)
        {
            HandOver(HandOverReport.Many);
            _time.Advance(TimeSpan.FromSeconds(61));
        }

        Assert.Equal([507, 507, 507], _logger.Events);
    }

    private void HandOver(int times)
    {
        for (var i = 0; i < times; i++)
        {
            _report.Note(0);
        }
    }

    private sealed class RecordingLogger : ILogger
    {
        public List<int> Events { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Events.Add(eventId.Id);
    }
}
