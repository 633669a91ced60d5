namespace NumaSharp.Transport.Epoll;

/// <summary>Which event loop a new connection gets.</summary>
public enum EpollSteering
{
    /// <summary>
    /// One on the node of the CPU that received it, and there the one of that CPU: a filter in the kernel chooses
    /// (SO_ATTACH_REUSEPORT_CBPF, socket(7)). Loops that have many more connections than others give new ones away.
    /// </summary>
    Cpu,

    /// <summary>The one that has the fewest connections.</summary>
    LeastLoaded,

    /// <summary>The one whose listening socket the kernel picks, by a hash of the addresses (SO_REUSEPORT, socket(7)).</summary>
    Kernel,
}
