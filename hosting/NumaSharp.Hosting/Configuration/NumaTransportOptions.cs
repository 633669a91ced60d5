using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting;

/// <summary>Kestrel's transport: section <c>Numa:Transport</c>.</summary>
public sealed class NumaTransportOptions
{
    /// <summary>Whether the NUMA transport serves; otherwise, and where it cannot (off Linux), Kestrel's own does.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>Where application code runs when data has arrived.</summary>
    /// <value>Default <see cref="EpollDispatchMode.Adaptive"/>.</value>
    public EpollDispatchMode Dispatch { get; set; } = EpollDispatchMode.Adaptive;

    /// <summary>The number of event loops per node.</summary>
    /// <value>Default 0: one for each CPU of the node in the plan; up to 4096.</value>
    public int LoopsPerNode { get; set; }

    /// <summary>Which event loop a new connection gets.</summary>
    /// <value>Default <see cref="EpollSteering.Cpu"/>.</value>
    public EpollSteering Steering { get; set; } = EpollSteering.Cpu;

    /// <summary>
    /// How long application code may block its event loop, with <see cref="EpollDispatchMode.Adaptive"/>, before the loop moves
    /// to another thread.
    /// </summary>
    /// <value>Default 1 ms; from 100 µs to 10 s.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// How long an event loop without events polls the network device before it sleeps (EPIOCSPARAMS, Linux 6.9). For devices
    /// with one queue per loop; costs CPU time wherever there is traffic.
    /// </summary>
    /// <value>Default zero: the system's; else from 1 µs to 1 s.</value>
    public TimeSpan EpollBusyPoll { get; set; }

    /// <summary>The maximum number of packets per poll; more than 64 needs CAP_NET_ADMIN.</summary>
    /// <value>Default 0: the system's, 8; up to 65535.</value>
    public int EpollBusyPollBudget { get; set; }

    /// <summary>Whether the device's interrupts stay off while loops poll it, as far as its own settings allow.</summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool EpollPreferBusyPoll { get; set; }

    /// <summary>The length of the accept queue, per listening socket (listen(2)).</summary>
    /// <value>Default 512; from 1 to 65535. The kernel caps it at net.core.somaxconn.</value>
    public int Backlog { get; set; } = 512;

    /// <summary>
    /// Whether other processes of the same user that also share may listen on the same port; the kernel spreads connections over
    /// all of them (SO_REUSEPORT). <c>numasharp run --per-node</c> turns it on for the processes that it starts.
    /// </summary>
    /// <value>Default <see langword="false"/>: a port already in use is an error.</value>
    public bool SharePort { get; set; }

    /// <summary>Whether small segments are sent at once (TCP_NODELAY).</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool NoDelay { get; set; } = true;

    /// <summary>The maximum number of bytes received ahead of the application, per connection.</summary>
    /// <value>Default 1 MiB; from 4 KiB to 1 GiB.</value>
    public long MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>The number of unsent bytes, per connection, at which a flush waits for the client.</summary>
    /// <value>Default 64 KiB; from 4 KiB to 1 GiB.</value>
    public long MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>Whether a connection rents a receive buffer only when there is data to receive.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool WaitForDataBeforeAllocatingBuffer { get; set; } = true;

    /// <summary>
    /// How long to delay accepting a client that has not sent data yet (TCP_DEFER_ACCEPT). For protocols in which the client
    /// speaks first.
    /// </summary>
    /// <value>Default zero: no delay; else from 1 s to 1 h, rounded up by the kernel.</value>
    public TimeSpan DeferAccept { get; set; }

    /// <summary>
    /// The maximum of pending connections with data in the first packet (TCP_FASTOPEN). Needs bit 2 of net.ipv4.tcp_fastopen.
    /// </summary>
    /// <value>Default 0: none; up to 65535.</value>
    public int FastOpen { get; set; }

    /// <summary>How long sent data may stay unacknowledged before the connection is ended (TCP_USER_TIMEOUT).</summary>
    /// <value>Default zero: the system's; else from 1 ms to 1 day.</value>
    public TimeSpan UserTimeout { get; set; }

    /// <summary>Whether to probe silent clients (SO_KEEPALIVE).</summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool KeepAlive { get; set; }

    /// <summary>How long a client is silent before the first probe (TCP_KEEPIDLE).</summary>
    /// <value>Default zero: the system's; else from 1 to 32767 s.</value>
    public TimeSpan KeepAliveTime { get; set; }

    /// <summary>The time between unanswered probes (TCP_KEEPINTVL).</summary>
    /// <value>Default zero: the system's; else from 1 to 32767 s.</value>
    public TimeSpan KeepAliveInterval { get; set; }

    /// <summary>The number of unanswered probes that end the connection (TCP_KEEPCNT).</summary>
    /// <value>Default 0: the system's; up to 127.</value>
    public int KeepAliveRetryCount { get; set; }

    /// <summary>
    /// How long a receive without data polls the network device (SO_BUSY_POLL). More than net.core.busy_read needs
    /// CAP_NET_ADMIN.
    /// </summary>
    /// <value>Default zero: the system's; else from 1 µs to 1 s.</value>
    public TimeSpan BusyPoll { get; set; }

    /// <summary>The kernel's receive buffer in bytes (SO_RCVBUF).</summary>
    /// <value>Default 0: the kernel adapts it; else from 4 KiB to 512 MiB. The kernel caps it at net.core.rmem_max.</value>
    public int ReceiveBufferSize { get; set; }

    /// <summary>The kernel's buffer for unacknowledged data in bytes (SO_SNDBUF).</summary>
    /// <value>Default 0: the kernel adapts it; else from 4 KiB to 512 MiB. The kernel caps it at net.core.wmem_max.</value>
    public int SendBufferSize { get; set; }

    /// <summary>End points with different socket options.</summary>
    public IList<NumaTransportEndpointOptions> Endpoints { get; } = [];
}
