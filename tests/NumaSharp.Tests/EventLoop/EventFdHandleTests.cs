using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Tests.EventLoop;

public sealed class EventFdHandleTests
{
    [Fact]
    public void Signal_AfterDispose_DoesNotReachTheNextOwnerOfTheNumber()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "eventfd needs Linux.");
        var first = Create();
        EventFdHandle? second = null;
        for (var i = 0; i < 100 && second?.Number != first.Number; i++)
        {
            // Other tests open descriptors at the same time, and may get the number first.
            second?.Dispose();
            first = Create();
            first.Dispose();
            second = Create();
        }

        using var next = second!;
        Assert.SkipUnless(next.Number == first.Number, "Other tests were given the number each time.");
        EpollHandle.Create(out var created).ThrowIfFailed("epoll_create1");
        using var epoll = created!;
        using var events = new EpollEventBuffer(1);
        epoll.Add(next, Native.EPOLLIN, 1).ThrowIfFailed("epoll_ctl");
        first.Signal();

        Assert.Equal(0, epoll.Wait(events, timeoutMilliseconds: 0).Value);
    }

    private static EventFdHandle Create()
    {
        EventFdHandle.Create(out var created).ThrowIfFailed("eventfd");
        return created!;
    }
}
