using NumaSharp.Sockets;

namespace NumaSharp.Udp;

/// <summary>Options of a datagram socket; the defaults suit most services. Read once, when it is bound.</summary>
public class NumaUdpOptions
{
    private static readonly TimeSpan s_maximumDelay = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The number of sockets that share the port, each on an event loop: 0, the default, for one per loop of the plan, or 1
    /// to 4096, spread over the nodes. A connected socket has one.
    /// </summary>
    public int Shards { get; set; }

    /// <summary>
    /// The maximum number of messages per system call for receiving or replying: 1 to 1024. Default 32. Of long messages fewer
    /// are received: about 256 KiB.
    /// </summary>
    public int BatchSize { get; set; } = 32;

    /// <summary>
    /// The receive buffer of each socket in bytes, 4 KiB to 512 MiB; the kernel drops datagrams beyond it. 0, the default: the
    /// system's (net.core.rmem_default). The kernel grants at most net.core.rmem_max, and counts its own overhead: about 700
    /// bytes for a small datagram (socket(7)).
    /// </summary>
    public int ReceiveBufferSize { get; set; }

    /// <summary>The send buffer of each socket in bytes, as <see cref="ReceiveBufferSize"/>.</summary>
    public int SendBufferSize { get; set; }

    /// <summary>
    /// Whether datagrams of one length to one peer are passed to the kernel as one message, which it or the device segments
    /// (UDP_SEGMENT, Linux 4.18). Once refused, they are sent one by one. Default <see langword="true"/>.
    /// </summary>
    public bool Gso { get; set; } = true;

    /// <summary>
    /// Whether the kernel joins datagrams of one length from one peer (UDP_GRO, Linux 5.0); the application still gets them one
    /// by one. Default <see langword="true"/>.
    /// </summary>
    public bool Gro { get; set; } = true;

    /// <summary>
    /// How long a datagram may wait for others at a high, even rate, so that a thread wakes once for several: 10 microseconds to
    /// 100 milliseconds, or zero, the default: not at all. While fewer than two arrive in that time none waits.
    /// </summary>
    public TimeSpan CoalesceDelay { get; set; }

    /// <summary>
    /// Whether each datagram reports the address it was sent to, and replies come from that address (IP_PKTINFO, ip(7)). Default
    /// <see langword="null"/>: on if the socket is bound to any address, because the kernel could otherwise choose another source
    /// on a machine with several.
    /// </summary>
    public bool? PacketInfo { get; set; }

    /// <summary>Whether each datagram reports its traffic class (IP_RECVTOS, ip(7)). Default <see langword="false"/>.</summary>
    public bool ReceiveTrafficClass { get; set; }

    /// <summary>Whether each datagram has the kernel's receive time (SO_TIMESTAMPNS). Default <see langword="false"/>.</summary>
    public bool Timestamps { get; set; }

    /// <summary>
    /// The traffic class of sent datagrams, 0 to 255: DSCP in the upper six bits, ECN in the lower two (IP_TOS). Default 0.
    /// </summary>
    public int TrafficClass { get; set; }

    /// <summary>
    /// Whether datagrams too long for the path to the peer are refused instead of fragmented (IP_MTU_DISCOVER, ip(7)). Default
    /// <see langword="null"/>: the system's (net.ipv4.ip_no_pmtu_disc).
    /// </summary>
    public bool? DontFragment { get; set; }

    /// <summary>The hop limit of sent datagrams, 1 to 255 (IP_TTL). Default 0: the system's, 64.</summary>
    public int TimeToLive { get; set; }

    /// <summary>Whether datagrams may be sent to a broadcast address (SO_BROADCAST). Default <see langword="false"/>.</summary>
    public bool Broadcast { get; set; }

    /// <summary>The hop limit of datagrams to a group, 0 to 255. Default 1: they stay in the local network.</summary>
    public int MulticastTimeToLive { get; set; } = 1;

    /// <summary>Whether this machine also receives its own datagrams to a group. Default <see langword="true"/>.</summary>
    public bool MulticastLoopback { get; set; } = true;

    /// <summary>
    /// How long a receive polls the network device before it reports that there is nothing, 1 microsecond to 1 second
    /// (SO_BUSY_POLL, socket(7)). Default zero: the system's.
    /// </summary>
    public TimeSpan BusyPoll { get; set; }

    /// <summary>
    /// Whether other processes of the same user that also share may use the port; the kernel then spreads peers over all of them.
    /// When false, the default, a port already in use is an error.
    /// </summary>
    public bool SharePort { get; set; }

    /// <summary>
    /// Whether to drop and count datagrams sent from the socket's own address and port. Such a source is forged, and a handler
    /// that replies to it would reply to itself forever. For a socket bound to any address, loopback and the addresses of the
    /// machine's interfaces count as its own. Its own multicasts and broadcasts are not dropped if <see cref="PacketInfo"/> is
    /// on. A connected socket drops nothing. Default <see langword="null"/>: true, but false with <see cref="SharePort"/>, where
    /// other sockets have the same address.
    /// </summary>
    public bool? DropOwnSource { get; set; }

    /// <summary>Which shard gets a datagram. Default <see cref="NumaUdpSteering.Cpu"/>.</summary>
    public NumaUdpSteering Steering { get; set; }

    /// <summary>A copy that later changes of these options do not reach.</summary>
    internal NumaUdpOptions Copy() => (NumaUdpOptions)MemberwiseClone();

    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    internal void Validate()
    {
        foreach (var (option, value, allowed) in FindInvalid())
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {allowed}.");
        }
    }

    /// <summary>The options outside their ranges, with their values and what is allowed.</summary>
    internal IEnumerable<(string Option, object Value, string Allowed)> FindInvalid() =>
    [
        .. InRange(Shards, 0, 4096, nameof(Shards)),
        .. InRange(BatchSize, 1, NumaDatagramBatch.MaxCapacity, nameof(BatchSize)),
        .. IsBuffer(ReceiveBufferSize, nameof(ReceiveBufferSize)),
        .. IsBuffer(SendBufferSize, nameof(SendBufferSize)),
        .. InRange(TrafficClass, 0, 255, nameof(TrafficClass)),
        .. InRange(TimeToLive, 0, 255, nameof(TimeToLive)),
        .. InRange(MulticastTimeToLive, 0, 255, nameof(MulticastTimeToLive)),
        .. InRangeOrZero(CoalesceDelay, TimeSpan.FromMicroseconds(10), s_maximumDelay, nameof(CoalesceDelay)),
        .. InRangeOrZero(BusyPoll, TimeSpan.FromMicroseconds(1), TimeSpan.FromSeconds(1), nameof(BusyPoll)),
        .. Enum.IsDefined(Steering) ? Nothing : [(nameof(Steering), (object)Steering, "Cpu or Kernel")],
    ];

    private static (string Option, object Value, string Allowed)[] Nothing => [];

    private static (string Option, object Value, string Allowed)[] InRange(int value, int minimum, int maximum, string name) =>
        value >= minimum && value <= maximum ? Nothing : [(name, value, $"from {minimum} to {maximum}")];

    private static (string Option, object Value, string Allowed)[] IsBuffer(int value, string name) =>
        KernelBuffer.IsAllowed(value) ? Nothing : [(name, value, KernelBuffer.Allowed)];

    private static (string Option, object Value, string Allowed)[] InRangeOrZero(
        TimeSpan value, TimeSpan minimum, TimeSpan maximum, string name) =>
        value == TimeSpan.Zero || (value >= minimum && value <= maximum)
            ? Nothing
            : [(name, value, $"zero, or from {minimum} to {maximum}")];
}

/// <summary>Which shard of a socket gets a datagram.</summary>
public enum NumaUdpSteering
{
    /// <summary>
    /// The shard of the CPU that receives it, so that it stays on that CPU's node (SO_ATTACH_REUSEPORT_CBPF, socket(7)). A peer's
    /// datagrams stay together as far as the network device keeps them on one queue.
    /// </summary>
    Cpu,

    /// <summary>The kernel's choice, by the addresses: a peer's datagrams always reach the same shard.</summary>
    Kernel,
}
