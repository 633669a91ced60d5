using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

[Collection(nameof(ProcessWide))]
public sealed partial class EventFdHandleTests
{
    // fcntl(2): the lowest free number that is not less than the argument.
    private const int F_DUPFD = 0;

    [Fact]
    public void Signal_AfterDispose_DoesNotReachTheNextOwnerOfTheNumber()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "eventfd needs Linux.");
        var first = Create();
        using var second = Create();
        var number = first.Number;
        first.Dispose();

        // Nothing runs beside this test: the number that has just become free is given to a copy of the second one.
        using var copy = new CopiedDescriptor(DuplicateFrom(second.Number, F_DUPFD, number));
        Assert.Equal(number, copy.Number);
        EpollHandle.Create(out var created).ThrowIfFailed("epoll_create1");
        using var epoll = created!;
        using var events = new EpollEventBuffer(1);
        epoll.Add(second, Native.EPOLLIN, 1).ThrowIfFailed("epoll_ctl");
        first.Signal();
        Assert.Equal(0, epoll.Wait(events, timeoutMilliseconds: 0).Value);

        // What is watched is what the number leads to: a signal to it is seen.
        second.Signal();
        Assert.Equal(1, epoll.Wait(events, timeoutMilliseconds: 0).Value);
    }

    private static EventFdHandle Create()
    {
        EventFdHandle.Create(out var created).ThrowIfFailed("eventfd");
        return created!;
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int DuplicateFrom(int descriptor, int command, int lowest);

    private sealed class CopiedDescriptor(int number) : FileDescriptorHandle(number);
}
