using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll;

/// <summary>
/// Options of an end point's sockets (socket(7), tcp(7)). An option is <see langword="null"/> until it is set: the options of one
/// end point then have that of all, and those of all have the value named below. Zero leaves it at the system's default. One
/// that the kernel refuses is reported as a fallback, and the end point is served without it.
/// </summary>
public class EpollSocketOptions
{
    /// <summary>
    /// The length of the accept queue per listening socket: 1 to 65535; the kernel caps it at net.core.somaxconn (listen(2)).
    /// </summary>
    /// <value>Not set: 512.</value>
    public int? Backlog { get; set; }

    /// <summary>Whether small writes are sent at once instead of waiting for acknowledgements (TCP_NODELAY).</summary>
    /// <value>Not set: <see langword="true"/>.</value>
    public bool? NoDelay { get; set; }

    /// <summary>
    /// How long to delay accepting a connection that has not sent data yet (TCP_DEFER_ACCEPT): 1 second to 1 hour, rounded up by
    /// the kernel to its own steps. For protocols in which the client speaks first.
    /// </summary>
    /// <value>Not set: zero, connections are accepted at once.</value>
    public TimeSpan? DeferAccept { get; set; }

    /// <summary>
    /// The maximum number of pending connections with data in their first packet (TCP_FASTOPEN): 1 to 65535; needs bit 2 of
    /// net.ipv4.tcp_fastopen.
    /// </summary>
    /// <value>Not set: 0, none.</value>
    public int? FastOpen { get; set; }

    /// <summary>
    /// How long sent data may stay unacknowledged before the connection is ended (TCP_USER_TIMEOUT): 1 millisecond to 1 day.
    /// </summary>
    /// <value>Not set: zero, the system's, about 15 minutes.</value>
    public TimeSpan? UserTimeout { get; set; }

    /// <summary>Whether to probe silent clients (SO_KEEPALIVE).</summary>
    /// <value>Not set: <see langword="false"/>.</value>
    public bool? KeepAlive { get; set; }

    /// <summary>How long a client is silent before the first probe (TCP_KEEPIDLE): 1 to 32767 seconds.</summary>
    /// <value>Not set: zero, the system's, 2 hours.</value>
    public TimeSpan? KeepAliveTime { get; set; }

    /// <summary>The time between unanswered probes (TCP_KEEPINTVL): 1 to 32767 seconds.</summary>
    /// <value>Not set: zero, the system's, 75 seconds.</value>
    public TimeSpan? KeepAliveInterval { get; set; }

    /// <summary>The number of unanswered probes that end the connection (TCP_KEEPCNT): 1 to 127.</summary>
    /// <value>Not set: 0, the system's, 9.</value>
    public int? KeepAliveRetryCount { get; set; }

    /// <summary>
    /// How long a receive without data polls the network device (SO_BUSY_POLL): 1 microsecond to 1 second. More than
    /// net.core.busy_read needs CAP_NET_ADMIN.
    /// </summary>
    /// <value>Not set: zero, the system's.</value>
    public TimeSpan? BusyPoll { get; set; }

    /// <summary>
    /// The kernel's receive buffer in bytes (SO_RCVBUF): 4 KiB to 512 MiB; the kernel caps it at net.core.rmem_max and no longer
    /// adapts it to the connection.
    /// </summary>
    /// <value>Not set: 0, the kernel adapts it (net.ipv4.tcp_rmem).</value>
    public int? ReceiveBufferSize { get; set; }

    /// <summary>
    /// The kernel's buffer for unacknowledged data in bytes (SO_SNDBUF): 4 KiB to 512 MiB; the kernel caps it at
    /// net.core.wmem_max and no longer adapts it to the connection.
    /// </summary>
    /// <value>Not set: 0, the kernel adapts it (net.ipv4.tcp_wmem).</value>
    public int? SendBufferSize { get; set; }

    /// <summary>A copy that later changes of these options do not reach.</summary>
    internal virtual EpollSocketOptions Copy() => (EpollSocketOptions)MemberwiseClone();

    internal virtual void Validate()
    {
        const int MaxSeconds = 32767;
        ThrowIfOutside(Backlog ?? 1, 1, 65535, nameof(Backlog));
        ThrowIfOutside(FastOpen ?? 0, 0, 65535, nameof(FastOpen));
        ThrowIfOutside(KeepAliveRetryCount ?? 0, 0, 127, nameof(KeepAliveRetryCount));
        ThrowIfNeitherZeroNor(DeferAccept, TimeSpan.FromSeconds(1), TimeSpan.FromHours(1), nameof(DeferAccept));
        ThrowIfNeitherZeroNor(UserTimeout, TimeSpan.FromMilliseconds(1), TimeSpan.FromDays(1), nameof(UserTimeout));
        ThrowIfNeitherZeroNor(
            KeepAliveTime, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(MaxSeconds), nameof(KeepAliveTime));
        ThrowIfNeitherZeroNor(
            KeepAliveInterval, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(MaxSeconds), nameof(KeepAliveInterval));
        ThrowIfNeitherZeroNor(BusyPoll, TimeSpan.FromMicroseconds(1), TimeSpan.FromSeconds(1), nameof(BusyPoll));
        ThrowIfNoBuffer(ReceiveBufferSize, nameof(ReceiveBufferSize));
        ThrowIfNoBuffer(SendBufferSize, nameof(SendBufferSize));
    }

    private protected static void ThrowIfOutside(long value, long minimum, long maximum, string name)
    {
        if (value < minimum || value > maximum)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be from {minimum} to {maximum}.");
        }
    }

    private protected static void ThrowIfNeitherZeroNor(TimeSpan? value, TimeSpan minimum, TimeSpan maximum, string name)
    {
        if (value is { } set && set != TimeSpan.Zero && (set < minimum || set > maximum))
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be zero or from {minimum} to {maximum}.");
        }
    }

    private static void ThrowIfNoBuffer(int? value, string name)
    {
        if (!KernelBuffer.IsAllowed(value ?? 0))
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be {KernelBuffer.Allowed}.");
        }
    }
}
