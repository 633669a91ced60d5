using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Settings;

/// <summary>
/// All keys of the <c>Numa</c> section. Binding, validation, the search for unknown keys, the JSON schema and the reference page
/// are derived from this table.
/// </summary>
internal static class NumaSettings
{
    public const string SectionName = "Numa";

    private const long KiB = 1024;
    private const long GiB = 1024 * 1024 * KiB;
    private const int MaxPerNode = 4096;
    private const int MaxWeight = 255;

    private const string Endpoints = "Transport:Endpoints";

    private static readonly BooleanFormat s_flag = new();
    private static readonly ProviderNameFormat s_provider = new();
    private static readonly FolderFormat s_folder = new();
    private static readonly KernelListFormat s_list = new();
    private static readonly IntegerFormat s_perNode = new(0, MaxPerNode);

    // The kernel's own bound (MAX_TCP_KEEPIDLE, MAX_TCP_KEEPINTVL).
    private static readonly TimeSpan s_longestProbe = TimeSpan.FromSeconds(32767);

    public static IReadOnlyList<Setting> All { get; } =
    [
        Of("Enabled", s_flag, static o => o.Enabled, static (o, v) => o.Enabled = v,
            "Pins threads, binds memory and serves through the NUMA transport. When false all services still work, on one node, "
            + "with nothing pinned or bound and Kestrel's own transport."),
        .. TopologyAndAffinity(),
        .. Binding(),
        .. Memory(),
        .. Scheduler(),
        .. Transport(),
        .. Udp(),
        Of("Telemetry:Enabled", s_flag, static o => o.Telemetry.Enabled, static (o, v) => o.Telemetry.Enabled = v,
            "Publishes the meter NumaSharp."),
        Of("Telemetry:Interval", new DurationFormat(TimeSpan.FromSeconds(1), TimeSpan.FromHours(1)),
            static o => o.Telemetry.Interval, static (o, v) => o.Telemetry.Interval = v,
            "How often the nodes' memory and the kernel's counters are read at most, for the meter and the live page together."),
        Of("Page:Enabled", s_flag, static o => o.Page.Enabled, static (o, v) => o.Page.Enabled = v,
            "Whether the application's call of MapNuma() maps the live page."),
        Of("Page:Interval", new DurationFormat(TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(1)),
            static o => o.Page.Interval, static (o, v) => o.Page.Interval = v,
            "How often the live page's data is read while it is open in a browser."),
        .. Plugins(),
    ];

    private static Setting[] TopologyAndAffinity() =>
    [
        Of("Topology:Provider", s_provider, static o => o.Topology.Provider, static (o, v) => o.Topology.Provider = v,
            "The provider that reads the machine's nodes. Auto is Linux on Linux and the registered platform plugin elsewhere; "
            + "without one it is SingleNode."),
        Of("Topology:SysfsRoot", s_folder, static o => o.Topology.SysfsRoot, static (o, v) => o.Topology.SysfsRoot = v,
            "Where sysfs is mounted. With another root nothing is pinned or bound unless Affinity:Provider and Memory:Provider "
            + "are named."),
        Of("Topology:ProcRoot", s_folder, static o => o.Topology.ProcRoot, static (o, v) => o.Topology.ProcRoot = v,
            "Where procfs is mounted. With another root nothing is pinned or bound unless Affinity:Provider and Memory:Provider "
            + "are named."),
        Of("Topology:PollInterval",
            new DurationFormat(TimeSpan.FromMilliseconds(10), TimeSpan.FromDays(1), "never"),
            static o => o.Topology.PollInterval, static (o, v) => o.Topology.PollInterval = v,
            "How often the host checks for CPUs and memory that were added or removed, and for changed cpusets and masks. "
            + "Threads and memory follow the changes. 0: never."),
        Of("Affinity:Provider", s_provider, static o => o.Affinity.Provider, static (o, v) => o.Affinity.Provider = v,
            "The provider that pins threads. Auto follows Topology:Provider where that platform can pin."),
        Of("Affinity:Granularity", new ChoiceFormat<NumaAffinityGranularity>(), static o => o.Affinity.Granularity,
            static (o, v) => o.Affinity.Granularity = v,
            "Which CPUs each worker and each event loop is pinned to. Node: the node's. Cache: those of one last-level cache. "
            + "Core: those of one physical core. Cpu: one CPU; second CPUs of a core are used last. Auto: Cache on nodes with "
            + "several last-level caches of four of its CPUs or more, and three quarters of them in those; Node on others."),
        Of("Affinity:AvoidSmtSiblings", s_flag, static o => o.Affinity.AvoidSmtSiblings,
            static (o, v) => o.Affinity.AvoidSmtSiblings = v,
            "Uses only one CPU of each physical core. There are fewer workers and loops accordingly."),
        Of("Affinity:ReservedCpus", s_list, static o => o.Affinity.ReservedCpus,
            static (o, v) => o.Affinity.ReservedCpus = v ?? CpuSet.Empty,
            "CPUs to leave to other programs, such as a poll-mode driver, as a kernel list."),
        Of("Affinity:MeasureAtStart", s_flag, static o => o.Affinity.MeasureAtStart,
            static (o, v) => o.Affinity.MeasureAtStart = v,
            "Measures at the start, for half a second, what pinning gains or costs on this machine, and logs it."),
    ];

    private static Setting[] Binding() =>
    [
        Of("Binding:Policy", new ChoiceFormat<NumaMemoryPolicy>(), static o => o.Binding.Policy,
            static (o, v) => o.Binding.Policy = v,
            "The nodes that a node's memory comes from. Local: the node itself. Interleave: all, page by page. "
            + "WeightedInterleave: all, in proportion to Weights. Saturate: one until it is full, then the next. Custom: those "
            + "in Map."),
        new NodeSetting<int>("Binding:Weights", new IntegerFormat(1, MaxWeight), static o => o.Binding.Weights,
            "The share of each node with WeightedInterleave, such as { '0': 3, '2': 1 }; 1 for a node that is not named. Not "
            + "set: in proportion to the bandwidth that firmware reports (HMAT), or equal if it reports none."),
        new NodeSetting<IReadOnlyList<NumaNodeId>>("Binding:Map", new NodeOrderFormat(), static o => o.Binding.Map,
            "The nodes that each node's memory comes from with Custom, such as { '0': '0,2', '1': '1' }: the first until it is "
            + "full, then the others, ordered by distance from the first. A node that is not named gets its own memory."),
        Of("Binding:NetworkDevice", new NetworkDeviceFormat(), static o => o.Binding.NetworkDevice,
            static (o, v) => o.Binding.NetworkDevice = v,
            "The network interface whose node runs the event loops; Auto for the nodes of all interfaces. Not set: every node "
            + "runs event loops."),
        Of("Binding:Nodes", s_list, static o => o.Binding.Nodes, static (o, v) => o.Binding.Nodes = v,
            "The nodes to use, as a kernel list. Not set: all that the process may use, without device memory."),
        Of("Binding:Cpus", s_list, static o => o.Binding.Cpus, static (o, v) => o.Binding.Cpus = v,
            "The CPUs to use, as a kernel list. Not set: all that the process may use, except isolated ones if there are "
            + "others."),
        Of("Binding:Claims", new OptionalTextFormat(s_folder), static o => o.Binding.Claims,
            static (o, v) => o.Binding.Claims = v,
            "A folder in which the copies of an application on one machine claim nodes: each uses the first of its nodes that no "
            + "other has, until it ends. Not set: every copy uses all of its nodes."),
        Of("Binding:Mode", new ChoiceFormat<NumaBindMode>(), static o => o.Binding.Mode, static (o, v) => o.Binding.Mode = v,
            "How memory is bound to nodes. None: first touch decides. Advisory: preferred node; first touch if the system "
            + "refuses. Strict: bound, or an error."),
    ];

    private static Setting[] Memory() =>
    [
        Of("Memory:Provider", s_provider, static o => o.Memory.Provider, static (o, v) => o.Memory.Provider = v,
            "The provider that reserves and binds memory. Auto follows Topology:Provider where that platform has memory."),
        Of("Memory:HugePages", new HugePageFormat(), static o => o.Memory.HugePages, static (o, v) => o.Memory.HugePages = v,
            "Which pages pools and allocator use. None: the system's default. Transparent: asks for transparent huge pages. "
            + "2MiB, 1GiB: from the nodes' pools of huge pages, with NumaSharp.Plugins.HugePages; an error with another "
            + "Memory:Provider."),
        Of("Memory:BlockSize", new SizeFormat(64, 1024 * KiB), static o => o.Memory.BlockSize,
            static (o, v) => o.Memory.BlockSize = (int)v,
            "The size of a block in the pools."),
        Of("Memory:PoolSizePerNode", new SizeFormat(0, 1024 * GiB), static o => o.Memory.PoolSizePerNode,
            static (o, v) => o.Memory.PoolSizePerNode = v,
            "How much memory the pool of each node takes from the system at the start, so that no request waits for page faults; "
            + "TrimAfter keeps it. At most LimitPerNode and the node's memory, and for all nodes together the cgroup's limit. "
            + "0: memory is taken when needed."),
        Of("Memory:LimitPerNode", new SizeFormat(4096 * KiB, 1024 * GiB, "no limit"), static o => o.Memory.LimitPerNode,
            static (o, v) => o.Memory.LimitPerNode = v,
            "The maximum memory that each pool of a node, and the allocator on that node, takes from the system; a request "
            + "beyond it fails. 0: no limit but the machine's."),
        Of("Memory:TrimAfter", new DurationFormat(TimeSpan.FromSeconds(1), TimeSpan.FromDays(1), "never"),
            static o => o.Memory.TrimAfter, static (o, v) => o.Memory.TrimAfter = v,
            "How long pools and the allocator keep unused memory. It goes back to the system within about twice that time. 0: "
            + "never."),
        Of("Memory:KeepPerNode", new SizeFormat(0, 1024 * GiB), static o => o.Memory.KeepPerNode,
            static (o, v) => o.Memory.KeepPerNode = v,
            "How much memory TrimAfter leaves to the pool of each node, and to the allocator on that node, so that a service "
            + "that was idle does not start with page faults."),
        Of("Memory:TrimOnPressure", s_flag, static o => o.Memory.TrimOnPressure, static (o, v) => o.Memory.TrimOnPressure = v,
            "Gives unused memory of the pools, down to PoolSizePerNode, and of the allocator back to the system while "
            + "tasks of the process's cgroup wait for memory."),
        Of("Memory:ZeroOnReturn", s_flag, static o => o.Memory.ZeroOnReturn, static (o, v) => o.Memory.ZeroOnReturn = v,
            "Clears blocks when they are returned, so that the next user cannot read their content."),
        Of("Memory:Checks", new ChoiceFormat<NumaMemoryCheckMode>(),
            static o => o.Memory.Checks, static (o, v) => o.Memory.Checks = v,
            "How the allocator and the pools detect misuse of memory. None: pools only know whether a block is rented. Full: "
            + "reports overruns, writes after a free, double frees, use of a returned block, and leaks; costs microseconds per "
            + "call. Hardened, for production: double frees and use of a returned block always throw, large blocks end at a page "
            + "without access, addresses are random, and with ZeroOnReturn the allocator clears, too."),
    ];

    private static Setting[] Scheduler() =>
    [
        Of("Scheduler:Policy", new ChoiceFormat<NumaSchedulingPolicy>(), static o => o.Scheduler.Policy,
            static (o, v) => o.Scheduler.Policy = v,
            "How work is spread over nodes. LocalityFirst: idle workers take work from other nodes, nearest first. NodeStrict: "
            + "work never leaves its node. Spread: work without a node goes to the nodes in turn."),
        Of("Scheduler:ThreadsPerNode", s_perNode, static o => o.Scheduler.ThreadsPerNode,
            static (o, v) => o.Scheduler.ThreadsPerNode = v,
            "Workers per node. 0: as many as the node has CPUs in the plan."),
        Of("Scheduler:Spin", new ChoiceFormat<NumaSpinMode>(), static o => o.Scheduler.Spin,
            static (o, v) => o.Scheduler.Spin = v,
            "What a worker without work does. Adaptive: spins for up to 10 us if work has usually come sooner than that, then "
            + "sleeps. LowLatency: spins for up to 200 us. LowCpu: sleeps at once."),
        Of("Scheduler:CompensateBlocking", s_flag, static o => o.Scheduler.CompensateBlocking,
            static (o, v) => o.Scheduler.CompensateBlocking = v,
            "Adds workers for a while to a node whose workers are blocked while work waits."),
        Of("Scheduler:UseSynchronizationContext", s_flag, static o => o.Scheduler.UseSynchronizationContext,
            static (o, v) => o.Scheduler.UseSynchronizationContext = v,
            "Runs work with its node's synchronization context as the current one, so that every await without "
            + "ConfigureAwait(false) returns to the node."),
    ];

    private static Setting[] Transport() =>
    [
        Of("Transport:Enabled", s_flag, static o => o.Transport.Enabled, static (o, v) => o.Transport.Enabled = v,
            "Serves through the NUMA transport (on Linux). When false, Kestrel's own transport serves."),
        Of("Transport:Dispatch", new ChoiceFormat<EpollDispatchMode>(), static o => o.Transport.Dispatch,
            static (o, v) => o.Transport.Dispatch = v,
            "Where application code runs when data has arrived. Adaptive: on the event loop, which moves to another thread if "
            + "the code runs longer than StallThreshold. Inline: always on the event loop. Node: on the node's scheduler. "
            + "ThreadPool: on the .NET thread pool."),
        Of("Transport:LoopsPerNode", s_perNode, static o => o.Transport.LoopsPerNode,
            static (o, v) => o.Transport.LoopsPerNode = v,
            "Event loops per node, at most the CPU count of the largest node in the plan. 0: as many as the node has CPUs in the "
            + "plan."),
        Of("Transport:Steering", new ChoiceFormat<EpollSteering>(), static o => o.Transport.Steering,
            static (o, v) => o.Transport.Steering = v,
            "Which event loop a new connection gets. Cpu: one on the node of the CPU that received it, unless other loops have "
            + "far fewer connections. LeastLoaded: the one with the fewest connections. Kernel: as the kernel spreads them."),
        Of("Transport:StallThreshold", new DurationFormat(TimeSpan.FromMicroseconds(100), TimeSpan.FromSeconds(10)),
            static o => o.Transport.StallThreshold, static (o, v) => o.Transport.StallThreshold = v,
            "How long application code may block its event loop before the loop moves to another thread: with Adaptive dispatch, "
            + "and in handlers of datagrams."),
        .. EpollBusyPoll(),
        Of("Transport:SharePort", s_flag, static o => o.Transport.SharePort, static (o, v) => o.Transport.SharePort = v,
            "Lets other processes of the same user listen on the same port if they also set this; the kernel spreads connections "
            + "over all of them (SO_REUSEPORT). When false, a port already in use is an error."),
        Of("Transport:MaxReadBufferSize", new OptionalFormat<long>(new SizeFormat(4 * KiB, GiB)),
            static o => o.Transport.MaxReadBufferSize, static (o, v) => o.Transport.MaxReadBufferSize = v,
            "When a client ends its direction, what it has sent is received until this many bytes are unread; otherwise bytes "
            + "are received only when the application reads. Below 128KiB it also limits the block of a receive."),
        Of("Transport:MaxWriteBufferSize", new OptionalFormat<long>(new SizeFormat(4 * KiB, GiB)),
            static o => o.Transport.MaxWriteBufferSize, static (o, v) => o.Transport.MaxWriteBufferSize = v,
            "The amount of unsent data, per connection, at which a flush waits for the client."),
        Of("Transport:WaitForDataBeforeAllocatingBuffer", s_flag, static o => o.Transport.WaitForDataBeforeAllocatingBuffer,
            static (o, v) => o.Transport.WaitForDataBeforeAllocatingBuffer = v,
            "Rents a receive buffer only when data is available. When false, every idle connection keeps one."),
        .. Sockets(),
    ];

    private static Setting[] EpollBusyPoll() =>
    [
        Of("Transport:EpollBusyPoll", Duration(TimeSpan.FromMicroseconds(1), TimeSpan.FromSeconds(1)),
            static o => o.Transport.EpollBusyPoll, static (o, v) => o.Transport.EpollBusyPoll = v,
            "How long an event loop without events polls the network device before it sleeps (EPIOCSPARAMS, Linux 6.9)."),
        Of("Transport:EpollBusyPollBudget", new IntegerFormat(0, ushort.MaxValue),
            static o => o.Transport.EpollBusyPollBudget, static (o, v) => o.Transport.EpollBusyPollBudget = v,
            "The maximum number of packets per poll of EpollBusyPoll; more than 64 needs CAP_NET_ADMIN. 0: the system's."),
        Of("Transport:EpollPreferBusyPoll", s_flag,
            static o => o.Transport.EpollPreferBusyPoll, static (o, v) => o.Transport.EpollPreferBusyPoll = v,
            "Keeps the device's interrupts off while event loops poll it, as far as the device's settings allow it."),
    ];

    // Each option for all end points, and again for single ones in Transport:Endpoints.
    private static Setting[] Sockets()
    {
        (Setting OfAll, Setting OfSome)[] options = [.. QueueOptions(), .. KeepAliveOptions(), .. BufferOptions()];
        return
        [
            .. options.Select(static option => option.OfAll),
            new ItemSetting<NumaTransportEndpointOptions, string>(
                Endpoints, "Address", new EndpointAddressFormat(), static o => o.Transport.Endpoints,
                static e => e.Address, static (e, v) => e.Address = v,
                "The end points that the item applies to; the first item that names an end point counts."),
            .. options.Select(static option => option.OfSome),
        ];
    }

    private static (Setting OfAll, Setting OfSome)[] QueueOptions() =>
    [
        Socket("Backlog", new IntegerFormat(1, 65535), static o => o.Backlog, static (o, v) => o.Backlog = v,
            "How many connections may wait to be accepted, per listening socket; the kernel caps it at net.core.somaxconn."),
        Socket("NoDelay", s_flag, static o => o.NoDelay, static (o, v) => o.NoDelay = v,
            "Sends small segments at once (TCP_NODELAY)."),
        Socket("DeferAccept", Duration(TimeSpan.FromSeconds(1), TimeSpan.FromHours(1), "at once"),
            static o => o.DeferAccept, static (o, v) => o.DeferAccept = v,
            "How long to delay accepting a client that has not sent data yet (TCP_DEFER_ACCEPT)."),
        Socket("FastOpen", new IntegerFormat(0, 65535), static o => o.FastOpen, static (o, v) => o.FastOpen = v,
            "How many connections with data in their first packet may wait (TCP_FASTOPEN); needs bit 2 of "
            + "net.ipv4.tcp_fastopen. 0: none."),
    ];

    private static (Setting OfAll, Setting OfSome)[] KeepAliveOptions() =>
    [
        Socket("UserTimeout", Duration(TimeSpan.FromMilliseconds(1), TimeSpan.FromDays(1)),
            static o => o.UserTimeout, static (o, v) => o.UserTimeout = v,
            "How long sent data may stay unacknowledged before the connection is ended (TCP_USER_TIMEOUT)."),
        Socket("KeepAlive", s_flag, static o => o.KeepAlive, static (o, v) => o.KeepAlive = v,
            "Probes silent clients (SO_KEEPALIVE)."),
        Socket("KeepAliveTime", Duration(TimeSpan.FromSeconds(1), s_longestProbe),
            static o => o.KeepAliveTime, static (o, v) => o.KeepAliveTime = v,
            "How long a client is silent before KeepAlive probes it (TCP_KEEPIDLE)."),
        Socket("KeepAliveInterval", Duration(TimeSpan.FromSeconds(1), s_longestProbe),
            static o => o.KeepAliveInterval, static (o, v) => o.KeepAliveInterval = v,
            "The time between unanswered probes of KeepAlive (TCP_KEEPINTVL)."),
        Socket("KeepAliveRetryCount", new IntegerFormat(0, 127),
            static o => o.KeepAliveRetryCount, static (o, v) => o.KeepAliveRetryCount = v,
            "How many unanswered probes of KeepAlive end the connection (TCP_KEEPCNT). 0: the system's."),
    ];

    private static (Setting OfAll, Setting OfSome)[] BufferOptions() =>
    [
        Socket("BusyPoll", Duration(TimeSpan.FromMicroseconds(1), TimeSpan.FromSeconds(1)),
            static o => o.BusyPoll, static (o, v) => o.BusyPoll = v,
            "How long a receive without data polls the network device (SO_BUSY_POLL); more than net.core.busy_read needs "
            + "CAP_NET_ADMIN."),
        Socket("ReceiveBufferSize", SocketBuffer("the kernel adapts it"),
            static o => o.ReceiveBufferSize, static (o, v) => o.ReceiveBufferSize = (int?)v,
            "The kernel's receive buffer (SO_RCVBUF); the kernel caps it at net.core.rmem_max."),
        Socket("SendBufferSize", SocketBuffer("the kernel adapts it"),
            static o => o.SendBufferSize, static (o, v) => o.SendBufferSize = (int?)v,
            "The kernel's buffer for unacknowledged data (SO_SNDBUF); the kernel caps it at net.core.wmem_max."),
    ];

    private static (Setting OfAll, Setting OfSome) Socket<T>(
        string name,
        SettingFormat<T> format,
        Func<EpollSocketOptions, T?> get,
        Action<EpollSocketOptions, T?> set,
        string description)
        where T : struct =>
    (
        Of(
            $"Transport:{name}", format, o => get(o.Transport) ?? get(EpollTransportOptions.Defaults).GetValueOrDefault(),
            (o, v) => set(o.Transport, v), description),
        new ItemSetting<NumaTransportEndpointOptions, T?>(
            Endpoints, name, new OptionalFormat<T>(format), static o => o.Transport.Endpoints, get, set,
            $"As Transport:{name}, which applies if this is not set."));

    // Each datagram listener has a section of its name.
    private static Setting[] Udp() =>
    [
        Listener("Address", new AddressFormat(), static u => u.Address, static (u, v) => u.Address = v,
            "The local address."),
        Listener("Port", new IntegerFormat(0, ushort.MaxValue), static u => u.Port, static (u, v) => u.Port = v,
            "The port. 0: the kernel chooses one."),
        Listener("Shards", new IntegerFormat(0, MaxPerNode), static u => u.Shards, static (u, v) => u.Shards = v,
            "How many sockets (shards) share the port, each on an event loop, spread over the nodes. 0: one per event loop."),
        Listener("Steering", new ChoiceFormat<NumaUdpSteering>(), static u => u.Steering, static (u, v) => u.Steering = v,
            "Which shard gets a datagram. Cpu: the one for the CPU that received it. "
            + "Kernel: always the same one for the same peer."),
        Listener("BatchSize", new IntegerFormat(1, 1024), static u => u.BatchSize, static (u, v) => u.BatchSize = v,
            "The maximum number of messages per system call for receiving or replying."),
        Listener("ReceiveBufferSize", SocketBuffer(), static u => u.ReceiveBufferSize,
            static (u, v) => u.ReceiveBufferSize = (int)v,
            "The kernel's receive buffer of each socket (SO_RCVBUF); datagrams beyond it are dropped and counted. The kernel "
            + "caps it at net.core.rmem_max."),
        Listener("SendBufferSize", SocketBuffer(), static u => u.SendBufferSize, static (u, v) => u.SendBufferSize = (int)v,
            "The kernel's send buffer of each socket (SO_SNDBUF); the kernel caps it at net.core.wmem_max."),
        Listener("Gso", s_flag, static u => u.Gso, static (u, v) => u.Gso = v,
            "Passes replies of one length to one peer to the kernel as one message, which it or the network device segments "
            + "(UDP_SEGMENT)."),
        Listener("Gro", s_flag, static u => u.Gro, static (u, v) => u.Gro = v,
            "Lets the kernel join datagrams of one length from one peer (UDP_GRO); the handler still gets them one by one."),
        Listener("CoalesceDelay", Duration(TimeSpan.FromMicroseconds(10), TimeSpan.FromMilliseconds(100), "not at all"),
            static u => u.CoalesceDelay, static (u, v) => u.CoalesceDelay = v,
            "How long a datagram may wait for others when they come at a high, even rate."),
        Listener("DropOwnSource", new OptionalFormat<bool>(s_flag), static u => u.DropOwnSource,
            static (u, v) => u.DropOwnSource = v,
            "Drops and counts datagrams whose source is the listener's own address and port: a handler that replies to one would "
            + "reply to itself forever. Not set: true, but false with SharePort."),
        Listener("SharePort", s_flag, static u => u.SharePort, static (u, v) => u.SharePort = v,
            "Lets other processes of the same user use the same port if they also set this (SO_REUSEPORT). When false, a port "
            + "already in use is an error."),
    ];

    private static NamedSetting<NumaUdpListenerOptions, T> Listener<T>(
        string name,
        SettingFormat<T> format,
        Func<NumaUdpListenerOptions, T> get,
        Action<NumaUdpListenerOptions, T> set,
        string description) =>
        new("Udp", name, format, static o => o.Udp, get, set, description);

    private static Setting[] Plugins() =>
    [
        new ItemSetting<NumaPluginOptions, string>("Plugins", "Assembly", new PluginFileFormat(), static o => o.Plugins,
            static p => p.Assembly, static (p, v) => p.Assembly = v,
            "An assembly with providers to load at the start; relative to the content root. Not with NativeAOT."),
        new ItemSetting<NumaPluginOptions, string>("Plugins", "Sha256", new Sha256Format(), static o => o.Plugins,
            static p => p.Sha256, static (p, v) => p.Sha256 = v,
            "The SHA-256 of the assembly; a file with another hash is refused. Not set: not checked."),
    ];

    private static Setting<T> Of<T>(
        string path,
        SettingFormat<T> format,
        Func<NumaOptions, T> get,
        Action<NumaOptions, T> set,
        string description) => new(path, format, get, set, description);

    private static DurationFormat Duration(TimeSpan minimum, TimeSpan maximum, string zero = "the system's") =>
        new(minimum, maximum, zero);

    private static SizeFormat SocketBuffer(string zero = "the system's") =>
        new(KernelBuffer.Minimum, KernelBuffer.Maximum, zero);
}
