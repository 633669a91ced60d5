using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class HandOverReportTests
{
    private readonly ManualTime _time = new();
    private readonly RecordingLog _log = new(from: LogLevel.Information);
    private readonly HandOverReport _report;

    public HandOverReportTests() =>
        _report = new HandOverReport(
            new EpollTransportLog(new OutboxLogger(_log, Outbox.Instance)),
            static () => TimeSpan.FromMilliseconds(1),
            [new LoopCounters(new(0), 0)],
            time: _time);

    [Fact]
    public void Note_AFew_SaysNothing()
    {
        HandOver(HandOverReport.Many - 1);

        Assert.Empty(_log.Entries.Select(static entry => entry.Id));
    }

    [Fact]
    public void Note_ManyInAMinute_SaysItOnce()
    {
        HandOver(HandOverReport.Many * 10);

        Assert.Equal([507], _log.Entries.Select(static entry => entry.Id));
    }

    [Fact]
    public void Note_ManyInEveryMinute_SaysItOnceAMinute()
    {
        for (var minute = 0; minute < 3; minute++)
        {
            HandOver(HandOverReport.Many);
            _time.Advance(TimeSpan.FromSeconds(61));
        }

        Assert.Equal([507, 507, 507], _log.Entries.Select(static entry => entry.Id));
    }

    private void HandOver(int times)
    {
        for (var i = 0; i < times; i++)
        {
            _report.Note(0);
        }
    }
}
