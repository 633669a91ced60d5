using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed partial class EventFdHandleTests
{
    // fcntl(2): the lowest free number that is not less than the argument.
    private const int F_DUPFD = 0;

    // Far beyond what a test has open at a time, and within the 1024 that a process may have: nothing else gets it.
    private const int Unused = 1000;

    [Fact]
    public void Signal_AfterDispose_DoesNotReachTheNextOwnerOfTheNumber()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "eventfd needs Linux.");
        using var source = Create();
        using var second = Create();
        var first = new EventFdHandle(CopyTo(source, Unused));
        Assert.Equal(Unused, first.Number);
        first.Dispose();
        using var next = new EventFdHandle(CopyTo(second, Unused));
        Assert.Equal(Unused, next.Number);
        EpollHandle.Create(out var created).ThrowIfFailed("epoll_create1");
        using var epoll = created!;
        using var events = new EpollEventBuffer(1);
        epoll.Add(second, Native.EPOLLIN, 1).ThrowIfFailed("epoll_ctl");
        first.Signal();
        Assert.Equal(0, epoll.Wait(events, timeoutMilliseconds: 0).Value);

        // What is watched is what the number leads to: a signal to it is seen.
        next.Signal();
        Assert.Equal(1, epoll.Wait(events, timeoutMilliseconds: 0).Value);
    }

    private static EventFdHandle Create()
    {
        EventFdHandle.Create(out var created).ThrowIfFailed("eventfd");
        return created!;
    }

    private static int CopyTo(EventFdHandle handle, int number)
    {
        var copy = SysResult.FromReturn(DuplicateFrom(handle.Number, F_DUPFD, number));
        copy.ThrowIfFailed("fcntl");
        return (int)copy.Value;
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int DuplicateFrom(int descriptor, int command, int lowest);
}
