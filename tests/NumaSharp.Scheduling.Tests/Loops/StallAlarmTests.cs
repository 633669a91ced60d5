using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>An alarm of a watchdog that does not run: nothing else changes it.</summary>
public sealed class StallAlarmTests : IDisposable
{
    private readonly StallWatchdog? _watchdog;
    private readonly TimerFdHandle? _timer;
    private readonly StallAlarm _alarm = null!;

    public StallAlarmTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (timerfd).");
        _watchdog = new StallWatchdog([], TimeSpan.FromSeconds(10));
        TimerFdHandle.Create(out _timer).ThrowIfFailed("timerfd_create");
        _alarm = new StallAlarm(_watchdog, _timer!);
    }

    public void Dispose()
    {
        _timer?.Dispose();
        _watchdog?.Dispose();
    }

    [Fact]
    public void OnAsleep_LoopWakesSeldom_TakesTheTimerBack()
    {
        Assert.False(_alarm.IsOn);
        _alarm.TurnOn();
        Assert.True(_alarm.IsOn);
        _alarm.OnAsleep();
        Assert.False(_alarm.IsOn);
    }

    [Fact]
    public void OnAsleep_LoopWakesMoreOftenThanTheTimerExpires_StaysSetUntilTheWatchdogLetsGo()
    {
        // Once is enough, unless the machine takes five seconds for it.
        Wait.Until(() =>
        {
            _alarm.TurnOn();
            _alarm.OnAsleep();
            return _alarm.IsOn;
        });
        _alarm.OnAsleep();
        Assert.True(_alarm.IsOn);

        Assert.True(_alarm.TryTurnOff());
        Assert.False(_alarm.TryTurnOff());
        _alarm.TurnOn();
        Assert.True(_alarm.IsOn);
        Assert.False(_alarm.TryTurnOn());
    }

    [Fact]
    public void Timer_SetAndTakenBack_IsAnEdgeForEachExpiryAlone()
    {
        EpollHandle.Create(out var epoll).ThrowIfFailed("epoll_create1");
        using (epoll)
        using (var events = new EpollEventBuffer(1))
        {
            epoll!.Add(_timer!, Native.EPOLLIN | Native.EPOLLET, 7).ThrowIfFailed("epoll_ctl");
            for (var i = 0; i < 2; i++)
            {
                _timer!.Set(1).ThrowIfFailed("timerfd_settime");
                Assert.Equal(1, epoll.Wait(events, (int)Wait.Limit.TotalMilliseconds).Value);
                events.Read(0, out _, out var data);
                Assert.Equal(7ul, data);
                Assert.Equal(0, epoll.Wait(events, 0).Value);
            }

            // Expired, and not reported yet.
            _timer!.Set(1).ThrowIfFailed("timerfd_settime");
            _timer.Set(0).ThrowIfFailed("timerfd_settime");
            Assert.Equal(0, epoll.Wait(events, 0).Value);
            _timer.Set(long.MaxValue / 2).ThrowIfFailed("timerfd_settime");
            Assert.Equal(0, epoll.Wait(events, 0).Value);
        }
    }

    [Fact]
    public void Set_TimerIsClosed_DoesNothing()
    {
        _timer!.Dispose();

        Assert.True(_timer.Set(1).Succeeded);
        _alarm.TurnOn();
        _alarm.OnAsleep();
    }
}
