namespace NumaSharp.Transport.Epoll;

/// <summary>Which event loop a new connection gets.</summary>
public enum EpollSteering
{
    /// <summary>
    /// A loop on the node of the CPU that received the connection, preferably that CPU's own: a filter in the kernel chooses
    /// (SO_ATTACH_REUSEPORT_CBPF, socket(7)). Loops with many more connections than others pass new ones on.
    /// </summary>
    Cpu,

    /// <summary>The loop with the fewest connections.</summary>
    LeastLoaded,

    /// <summary>The kernel picks the listening socket, by a hash of the addresses (SO_REUSEPORT, socket(7)).</summary>
    Kernel,
}
