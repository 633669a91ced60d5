using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.TestKit;

/// <summary>
/// Detects that everything that waits for a socket's input was notified: its loop's epoll, too. That the bytes are in the
/// socket (poll(2), /proc/net/tcp) does not say so: the kernel queues them first, and a virtual CPU may be taken away in between
/// for long enough that another socket's loop is notified first. An exclusive member is notified last (EPOLLEXCLUSIVE in
/// epoll_ctl(2); fs/eventpoll.c and kernel/sched/wait.c: at the end of the socket's wait queue).
/// </summary>
public sealed class ReadinessProbe : IDisposable
{
    private const uint EPOLLEXCLUSIVE = 1u << 28;

    private readonly EpollHandle _epoll;
    private readonly EpollEventBuffer _events = new(1);

    /// <param name="socket">A socket without input, in its loop's set.</param>
    public ReadinessProbe(SafeHandle socket)
    {
        var created = EpollHandle.Create(out var epoll);
        Assert.True(created.Succeeded, $"epoll_create1: {created.ErrorName}");
        _epoll = epoll!;
        var added = _epoll.Add(socket, Native.EPOLLIN | EPOLLEXCLUSIVE, 0);
        Assert.True(added.Succeeded, $"epoll_ctl: {added.ErrorName}");
    }

    /// <summary>Waits for input, and until all are notified.</summary>
    public void WaitUntilAllAreNotified() => Wait.Until(() => _epoll.Wait(_events, 10) is { Succeeded: true, Value: 1 });

    public void Dispose()
    {
        _epoll.Dispose();
        _events.Dispose();
    }
}
