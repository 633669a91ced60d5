namespace NumaSharp.EventLoop;

/// <summary>What happened to a descriptor. The values are the kernel's (epoll_ctl(2)); <see cref="Posted"/> is ours.</summary>
[Flags]
public enum EventLoopEvents
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>There may be something to read (EPOLLIN).</summary>
    Readable = 0x001,

    /// <summary>There is urgent data (EPOLLPRI).</summary>
    Urgent = 0x002,

    /// <summary>There may be room to write (EPOLLOUT).</summary>
    Writable = 0x004,

    /// <summary>An error is pending (EPOLLERR); always reported.</summary>
    Error = 0x008,

    /// <summary>Both directions are closed (EPOLLHUP); always reported.</summary>
    HangUp = 0x010,

    /// <summary>The peer has closed its sending direction (EPOLLRDHUP).</summary>
    PeerClosed = 0x2000,

    /// <summary>Not an event of the descriptor: <see cref="NumaEventLoop.Post"/> was called.</summary>
    Posted = 0x10000,
}
