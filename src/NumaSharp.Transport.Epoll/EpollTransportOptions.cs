namespace NumaSharp.Transport.Epoll;

/// <summary>Options of the epoll transport, with names and defaults of Kestrel's socket transport where it has them.</summary>
public sealed class EpollTransportOptions
{
    /// <summary>Where application code runs when data has arrived.</summary>
    /// <value>Default <see cref="EpollDispatchMode.Adaptive"/>.</value>
    public EpollDispatchMode Dispatch { get; set; } = EpollDispatchMode.Adaptive;

    /// <summary>
    /// How long a callback may keep its loop in <see cref="EpollDispatchMode.Adaptive"/>: 100 microseconds to 10 seconds.
    /// </summary>
    /// <value>Default 1 millisecond.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>Which event loop a new connection gets.</summary>
    /// <value>Default <see cref="EpollSteering.Cpu"/>.</value>
    public EpollSteering Steering { get; set; } = EpollSteering.Cpu;

    /// <summary>
    /// The length of the queue of connections that wait to be accepted, per shard: 1 to 65535; the kernel caps it at
    /// net.core.somaxconn (listen(2)).
    /// </summary>
    /// <value>Default 512.</value>
    public int Backlog { get; set; } = 512;

    /// <summary>
    /// Whether other processes of the same user that also share may listen on the same port; the kernel then spreads
    /// connections over all of their sockets (SO_REUSEPORT, socket(7)). When false a port that anybody has is an error.
    /// </summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool SharePort { get; set; }

    /// <summary>Whether small writes are sent at once instead of waiting for acknowledgements (TCP_NODELAY, tcp(7)).</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// The most bytes that are received ahead of the application, per connection: from 1, <see langword="null"/> for no limit.
    /// The transport reads nothing ahead; it receives into one block at a time, which does not grow beyond this (nor below
    /// 4 KiB).
    /// </summary>
    /// <value>Default 1 MiB.</value>
    public long? MaxReadBufferSize { get; set; } = 1 << 20;

    /// <summary>
    /// The bytes that may wait to be sent, per connection, before a flush waits for the client: from 1,
    /// <see langword="null"/> for no limit.
    /// </summary>
    /// <value>Default 64 KiB.</value>
    public long? MaxWriteBufferSize { get; set; } = 64 << 10;

    /// <summary>
    /// Whether a connection takes a buffer only when data is there. When false every idle connection keeps one, which saves
    /// a rent per receive.
    /// </summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool WaitForDataBeforeAllocatingBuffer { get; set; } = true;

    /// <summary>What tells the time; a test's own.</summary>
    internal TimeProvider Time { get; set; } = TimeProvider.System;

    internal void Validate()
    {
        ThrowIfOutside(Backlog, 1, 65535, nameof(Backlog));
        ThrowIfOutside(MaxReadBufferSize ?? 1, 1, long.MaxValue, nameof(MaxReadBufferSize));
        ThrowIfOutside(MaxWriteBufferSize ?? 1, 1, long.MaxValue, nameof(MaxWriteBufferSize));
        ThrowIfUndefined(Dispatch, nameof(Dispatch));
        ThrowIfUndefined(Steering, nameof(Steering));
    }

    private static void ThrowIfUndefined<TEnum>(TEnum value, string name)
        where TEnum : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            throw new ArgumentOutOfRangeException(
                name, value, $"{name} must be one of {string.Join(", ", Enum.GetNames<TEnum>())}.");
        }
    }

    private static void ThrowIfOutside(long value, long minimum, long maximum, string name)
    {
        if (value < minimum || value > maximum)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be from {minimum} to {maximum}.");
        }
    }
}
