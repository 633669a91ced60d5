using System.Net;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll;

/// <summary>
/// Options of the epoll transport, with the names and defaults of Kestrel's socket transport where it has them. The socket
/// options apply to outgoing connections, and to end points where <see cref="EndPointOptions"/> sets no other.
/// </summary>
public class EpollTransportOptions : EpollSocketOptions
{
    /// <summary>
    /// Creates options in which <see cref="EpollSocketOptions.Backlog"/> is 512 and <see cref="EpollSocketOptions.NoDelay"/> is
    /// <see langword="true"/>.
    /// </summary>
    public EpollTransportOptions()
    {
        // Of the other options of sockets, zero or false is the default.
        Backlog = 512;
        NoDelay = true;
    }

    /// <summary>Where application code runs when data has arrived.</summary>
    /// <value>Default <see cref="EpollDispatchMode.Adaptive"/>.</value>
    public EpollDispatchMode Dispatch { get; set; } = EpollDispatchMode.Adaptive;

    /// <summary>
    /// How long a callback may block its loop in <see cref="EpollDispatchMode.Adaptive"/>: 100 microseconds to 10 seconds.
    /// </summary>
    /// <value>Default 1 millisecond.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>Which event loop a new connection gets.</summary>
    /// <value>Default <see cref="EpollSteering.Cpu"/>.</value>
    public EpollSteering Steering { get; set; } = EpollSteering.Cpu;

    /// <summary>
    /// Whether other processes of the same user that also share may listen on the same port; the kernel then spreads
    /// connections over all of their sockets (SO_REUSEPORT, socket(7)). When false, a port already in use is an error.
    /// </summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool SharePort { get; set; }

    /// <summary>
    /// How long a loop without events polls the network device before it sleeps (EPIOCSPARAMS, ioctl_eventpoll(2)): 1 microsecond
    /// to 1 second; needs Linux 6.9. For devices with one queue per loop; costs CPU time wherever there is traffic.
    /// </summary>
    /// <value>Default zero: the system's (net.core.busy_poll).</value>
    public TimeSpan EpollBusyPoll { get; set; }

    /// <summary>The maximum number of packets per poll: 1 to 65535; more than 64 needs CAP_NET_ADMIN.</summary>
    /// <value>Default 0: the system's, 8.</value>
    public int EpollBusyPollBudget { get; set; }

    /// <summary>
    /// Whether the device's interrupts stay off while loops poll it, as far as its napi_defer_hard_irqs, gro_flush_timeout and
    /// irq-suspend-timeout allow it.
    /// </summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool EpollPreferBusyPoll { get; set; }

    /// <summary>
    /// Returns the socket options of an end point being bound; <see langword="null"/> for those of all. An option that is
    /// <see langword="null"/> in the result is as for all. The result is copied: later changes of it do not reach the end point.
    /// </summary>
    /// <value>Default <see langword="null"/>: all end points have the same options.</value>
    public Func<EndPoint, EpollSocketOptions?>? EndPointOptions { get; set; }

    /// <summary>
    /// When a client ends its direction, what it has sent is received at once, until this many bytes are unread: from 1,
    /// <see langword="null"/> for no limit. Otherwise bytes are received only when the application reads. This also limits the
    /// block of a receive: 4, 16 or 128 KiB, the largest that is not larger than this, but at least 4 KiB.
    /// </summary>
    /// <value>Default 1 MiB.</value>
    public long? MaxReadBufferSize { get; set; } = 1 << 20;

    /// <summary>
    /// The number of unsent bytes, per connection, at which a flush waits for the client: from 1, <see langword="null"/> for no
    /// limit.
    /// </summary>
    /// <value>Default 64 KiB.</value>
    public long? MaxWriteBufferSize { get; set; } = 64 << 10;

    /// <summary>
    /// Whether a connection rents a buffer only when data is available. When false every idle connection keeps one, which saves a
    /// rent per receive.
    /// </summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool WaitForDataBeforeAllocatingBuffer { get; set; } = true;

    /// <summary>
    /// Whether an application error ends a connection with a FIN, as before .NET 10, instead of a reset. Kestrel has this switch
    /// for its sockets, and aborts more connections with an error itself where it is set.
    /// </summary>
    internal bool FinOnError { get; } =
        AppContext.TryGetSwitch("Microsoft.AspNetCore.Server.Kestrel.FinOnError", out var isSet) && isSet;

    /// <summary>The clock; set by tests, <see langword="null"/> for the system's.</summary>
    internal TimeProvider? Time { get; set; }

    /// <summary>How long a reader's error waits for the callbacks of ConnectionClosed.</summary>
    internal TimeSpan CallbackLimit { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a stopping host lets the transport wait for its threads.</summary>
    internal StopLimit StopLimit { get; set; } = new(TimeProvider.System);

    /// <summary>Called with a loop that was handed over many times within a minute, at most once a minute.</summary>
    internal Action<NumaEventLoop>? ManyHandOvers { get; set; }

    /// <summary>A test's own loop settings, applied after the transport's.</summary>
    internal Action<NumaEventLoopGroupOptions>? ConfigureLoops { get; set; }

    /// <summary>A host's platform; <see langword="null"/> for the machine's own, with the scheduler's affinity.</summary>
    internal NumaPlatform? Platform { get; set; }

    /// <summary>A host's fallbacks; <see langword="null"/> for those that the scheduler was given.</summary>
    internal NumaFallbacks? Fallbacks { get; set; }

    /// <summary>Loops that components of a host share; <see langword="null"/> for the transport's own.</summary>
    internal SharedLoops? Loops { get; set; }

    /// <summary>
    /// How the loops behave. Of what the transport runs only Adaptive's callbacks may block; datagram handlers that share its
    /// loops may, too.
    /// </summary>
    internal NumaEventLoopGroupOptions CreateLoopOptions(
        NumaPlatform platform, NumaFallbacks? fallbacks, bool areShared = false)
    {
        var options = new NumaEventLoopGroupOptions
        {
            StallThreshold = areShared || Dispatch == EpollDispatchMode.Adaptive ? StallThreshold : TimeSpan.Zero,
            BusyPoll = EpollBusyPoll,
            BusyPollBudget = EpollBusyPollBudget,
            PreferBusyPoll = EpollPreferBusyPoll,
            Affinity = platform.Affinity,
            Fallbacks = fallbacks,
            Time = Time,
            StopLimit = StopLimit,
        };
        ConfigureLoops?.Invoke(options);
        return options;
    }

    /// <summary>What holds where nothing is set.</summary>
    internal static EpollTransportOptions Defaults { get; } = new();

    /// <summary>A copy that later changes of these options do not reach.</summary>
    internal override EpollTransportOptions Copy() => (EpollTransportOptions)base.Copy();

    /// <summary>The socket options of an end point: of those that set the same one, the first counts.</summary>
    internal EpollSocketOptions[] SocketsOf(EndPoint endPoint) =>
        (EndPointOptions?.Invoke(endPoint)?.Copy() ?? FindItem(endPoint)) is { } own ? [own, this] : [this];

    internal virtual EpollSocketOptions? FindItem(EndPoint endPoint) => null;

    internal override void Validate()
    {
        base.Validate();
        EventLoop.StallThreshold.Check(StallThreshold, nameof(StallThreshold));
        ThrowIfOutside(MaxReadBufferSize ?? 1, 1, long.MaxValue, nameof(MaxReadBufferSize));
        ThrowIfOutside(MaxWriteBufferSize ?? 1, 1, long.MaxValue, nameof(MaxWriteBufferSize));
        ThrowIfNeitherZeroNor(EpollBusyPoll, TimeSpan.FromMicroseconds(1), TimeSpan.FromSeconds(1), nameof(EpollBusyPoll));
        ThrowIfOutside(EpollBusyPollBudget, 0, ushort.MaxValue, nameof(EpollBusyPollBudget));
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
}

/// <summary>Where a connection's application code runs when data has arrived.</summary>
public enum EpollDispatchMode
{
    /// <summary>
    /// On the loop's own thread; a callback that outlasts the stall threshold loses the loop to another pinned thread, so a
    /// blocking handler delays other connections by 3 to 5 times that, and not for as long as it blocks.
    /// </summary>
    Adaptive,

    /// <summary>Always on the loop's own thread. A blocking handler delays every connection of the loop.</summary>
    Inline,

    /// <summary>On the workers of the connection's node (<see cref="Scheduling.NumaTaskScheduler"/>).</summary>
    Node,

    /// <summary>On the .NET thread pool, as Kestrel's own transport does.</summary>
    ThreadPool,
}

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
