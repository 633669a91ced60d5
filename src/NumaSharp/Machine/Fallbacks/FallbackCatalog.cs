namespace NumaSharp.Core;

/// <summary>
/// All fallbacks of NumaSharp: the one place for their ids, effects and remedies, and for the causes in general, of which
/// docs/reference/diagnostics.md is generated. The log, the health checks, the live page and doctor show the remedy, and in place
/// of the cause what a report says of it: which node, which error.
/// </summary>
internal static class FallbackCatalog
{
    private const string SeeIp = "See ip(7) for the error.";
    private const string SeeSocket = "See socket(7) for the error.";
    private const string SeeTcp = "See tcp(7) for the error.";
    private const string AllowBusyPoll = "Add CAP_NET_ADMIN, or raise net.core.busy_read.";
    private const string RaiseReceiveLimit = "Raise net.core.rmem_max.";
    private const string RaiseSendLimit = "Raise net.core.wmem_max.";
    private const string KernelsSize = "The buffer has the size that the kernel allows.";
    private const string SystemsSetting = "The system's setting applies.";

    // First: the fields below add themselves.
    private static readonly Dictionary<string, FallbackKind> s_kinds = new(StringComparer.Ordinal);

    public static readonly FallbackKind AffinityPin = Add(
        "affinity.pin",
        "Threads could not be pinned to the CPUs of their node.",
        "They run on any CPU that the process may use.",
        "With the Linux provider, allow sched_setaffinity(2) in the seccomp profile. With another, see its documentation for the "
        + "error, or select an affinity provider that can pin threads.");

    public static readonly FallbackKind AffinityRestore = Add(
        "affinity.restore",
        "ThreadAffinity could not restore the CPUs that a thread had before.",
        "The thread stays pinned.",
        "With the Linux provider, allow sched_setaffinity(2) in the seccomp profile. With another, see its documentation for the "
        + "error.");

    public static readonly FallbackKind BindingClaim = Add(
        "binding.claim",
        "No node could be claimed in the folder Numa:Binding:Claims.",
        "The process uses all nodes.",
        "Start at most one copy per node, and give the copies write access to the folder.");

    public static readonly FallbackKind LoopBusyPoll = Add(
        "loop.busypoll",
        "The kernel refused busy polling by event loops (EPIOCSPARAMS).",
        "The loops wait without it.",
        "Use Linux 6.9 or later. A budget above 64 needs CAP_NET_ADMIN.");

    public static readonly FallbackKind LoopSpare = Add(
        "loop.spare",
        "No spare thread could be started for the event loops of a node.",
        "With Adaptive dispatch, request handlers run on the node's workers. Any other callback that blocks delays its loop.",
        "Raise the limits of processes and descriptors (ulimit -u, pids.max, ulimit -n), or free memory.");

    public static readonly FallbackKind LoopWatchdog = Add(
        "loop.watchdog",
        "The watchdog of the event loops lost a descriptor: other code in the process closed it.",
        "The watchdog polls, twice per stall threshold.",
        "Find the code that closes descriptors it does not own, then restart the process.");

    public static readonly FallbackKind MemoryAbandoned = Add(
        "memory.abandoned",
        "A rented block was never returned, and nothing refers to its owner any more.",
        "The pool takes it back. Later ones are only counted (numasharp.pool.abandoned).",
        "Return every block. Numa:Memory:Checks = Full names the code that rented them. Kestrel forgets blocks of connections "
        + "that it gives up (its event 23).");

    public static readonly FallbackKind MemoryBind = Add(
        "memory.bind",
        "Memory could not be bound to its node.",
        "A pinned thread touches new memory first. Memory that was bound before stays where it is.",
        $"{RefusalRemedies.AllowMbind} For its other errors, see mbind(2). With another provider, see its documentation.");

    public static readonly FallbackKind MemoryDamage = Add(
        "memory.damage",
        "Numa:Memory:Checks = Full found that memory outside the blocks in use was overwritten. It is checked when a pool or an "
        + "allocator is disposed, and behind a block that a pool takes back as abandoned.",
        "Nothing is repaired.",
        "Find the write. The message says where the blocks were allocated and freed.");

    public static readonly FallbackKind MemoryHugePages = Add(
        "memory.hugepages",
        "Memory could not get the requested huge pages.",
        "Ordinary pages are used, transparent huge pages where the kernel provides them.",
        "For pages of 2 MiB or 1 GiB, raise nr_hugepages of the node. Transparent huge pages need Linux with "
        + "/sys/kernel/mm/transparent_hugepage.");

    public static readonly FallbackKind MemoryLeak = Add(
        "memory.leak",
        "Numa:Memory:Checks = Full found blocks in use when a pool or an allocator was disposed.",
        "The blocks stay valid.",
        "Return or free them first. The message says where they were allocated.");

    public static readonly FallbackKind MemoryNode = Add(
        "memory.node",
        "A pool or an allocator was requested for a node that does not exist or is not in the plan.",
        "The nearest node's is used.",
        "Request a node of the plan.");

    public static readonly FallbackKind MemoryPages = Add(
        "memory.pages",
        "The pages of the memory provider are larger than 2 MiB, the largest of the allocator.",
        "The allocator takes ordinary memory. The pools use the provider.",
        "Nothing needs to be done.");

    public static readonly FallbackKind MemoryRelease = Add(
        "memory.release",
        "Memory could not be returned to the system.",
        "It stays with the process, and counts against the limit.",
        "If the Linux provider reports ENOMEM, raise vm.max_map_count. Any other error is a bug of the provider: report it, with "
        + "the message.");

    public static readonly FallbackKind MemoryServer = Add(
        "memory.server",
        "Kestrel was added after AddNuma(), and serves through a transport other than NumaSharp's.",
        "It takes buffers from its own pool, on any node.",
        "Call AddNuma() after Kestrel is added.");

    public static readonly FallbackKind MemoryShortage = Add(
        "memory.shortage",
        "The system had no memory for a request of at most 1 MiB from a pool or an allocator.",
        "The request failed with an OutOfMemoryException.",
        $"{RefusalRemedies.FreeMemory} On Linux: the cgroup's memory.max, ulimit -v, vm.max_map_count, vm.overcommit_memory. On "
        + "Windows: the memory limit of its job, the page file.");

    public static readonly FallbackKind MemoryTouch = Add(
        "memory.touch",
        "The thread that touches new memory first could not be started or pinned.",
        "Pages come from the node of whichever thread touches them first.",
        "If the thread could not be started, raise the limit of processes. If it could not be pinned: with the Linux provider, "
        + "allow sched_setaffinity(2) in the seccomp profile; with another, select an affinity provider that can pin threads.");

    public static readonly FallbackKind PluginsEnd = Add(
        "plugins.end",
        "A plugin of Numa:Plugins threw when its services were disposed.",
        "The shutdown continues.",
        "Report it to the plugin's author.");

    public static readonly FallbackKind SchedulerDrain = Add(
        "scheduler.drain",
        "Work was left when a scheduler was disposed.",
        "Queued work runs on the thread pool.",
        "Wait for the work first, or raise DrainTimeout. In a host, raise HostOptions.ShutdownTimeout, too.");

    public static readonly FallbackKind SchedulerNode = Add(
        "scheduler.node",
        "A scheduler was requested for a node that is not in the plan.",
        "The nearest node runs its work.",
        "Request a node of the plan.");

    public static readonly FallbackKind SchedulerSpare = Add(
        "scheduler.spare",
        "No spare worker could be started for a node whose workers are blocked or busy.",
        "Its work waits.",
        "Raise the limit of processes (ulimit -u, pids.max), or block less.");

    public static readonly FallbackKind SchedulerWorker = Add(
        "scheduler.worker",
        "Workers of a node could not be started, after the start of a host on a large machine or when the node gained CPUs.",
        "The node has fewer workers than planned until the plan is applied again.",
        "Raise the limits of processes and descriptors (ulimit -u, pids.max, ulimit -n).");

    public static readonly FallbackKind TelemetryMemory = Add(
        "telemetry.memory",
        "The nodes' memory and counters could not be read.",
        "Metrics and the live page keep the last values.",
        "Look at the file or the topology provider that the message names.");

    public static readonly FallbackKind TopologyApply = Add(
        "topology.apply",
        "A new plan could not be applied in full: a follower or a handler of Changed threw.",
        "The other followers and handlers are called.",
        "Fix the follower or the handler. If it is NumaSharp's, report a bug, with the message.");

    public static readonly FallbackKind TopologyRead = Add(
        "topology.read",
        "The machine could not be read in full at the start.",
        "The message says what is used. If nothing can be read: one node, nothing pinned or bound.",
        "Compare 'numasharp topology' with the real machine, and look at the files that the message names. Firmware updates "
        + "correct most of this.");

    public static readonly FallbackKind TopologyRequest = Add(
        "topology.request",
        "The machine no longer has the requested nodes or CPUs.",
        "The remaining ones are used; if none remain, other CPUs, reserved ones last.",
        "Give the CPUs back, or change Numa:Binding.");

    public static readonly FallbackKind TopologyReread = Add(
        "topology.reread",
        "The machine could not be read again.",
        "The plan stays as it is.",
        "Look at the file or the topology provider that the message names.");

    public static readonly FallbackKind TopologyRoot = Add(
        "topology.root",
        "The topology is from another tree than /sys and /proc.",
        "Threads are not pinned and memory is not bound, unless a provider is named.",
        "If the tree describes this machine, set Numa:Affinity:Provider and Numa:Memory:Provider to Linux.");

    public static readonly FallbackKind TopologyUnused = Add(
        "topology.unused",
        "The process cannot use all new CPUs.",
        "CPUs of nodes without threads stay idle. A node with more CPUs keeps its number of loops.",
        "Restart the process.");

    public static readonly FallbackKind TopologyWatch = Add(
        "topology.watch",
        "The topology provider failed to start or stop its change notifications.",
        "Changes are found at the next Numa:Topology:PollInterval.",
        "Report it to the provider's author.");

    public static readonly FallbackKind TransportBusyPoll = Add(
        "transport.busypoll", "SO_BUSY_POLL was refused.", "Connections are served without it.", AllowBusyPoll);

    public static readonly FallbackKind TransportDeferAccept = Add(
        "transport.deferaccept", "TCP_DEFER_ACCEPT was refused.", "Connections are accepted at once.", SeeTcp);

    public static readonly FallbackKind TransportFastOpen = Add(
        "transport.fastopen", "TCP_FASTOPEN was refused.", "First packets carry no data.", SeeTcp);

    public static readonly FallbackKind TransportKeepAlive = Add(
        "transport.keepalive", "SO_KEEPALIVE or one of its times was refused.", SystemsSetting, SeeTcp);

    public static readonly FallbackKind TransportNoDelay = Add(
        "transport.nodelay",
        "TCP_NODELAY was refused.",
        "The socket keeps its own setting.",
        "If the socket is inherited, pass a TCP socket.");

    public static readonly FallbackKind TransportReceiveBuffer = Add(
        "transport.receivebuffer", "SO_RCVBUF was refused or reduced.", KernelsSize, RaiseReceiveLimit);

    public static readonly FallbackKind TransportSendBuffer = Add(
        "transport.sendbuffer", "SO_SNDBUF was refused or reduced.", KernelsSize, RaiseSendLimit);

    public static readonly FallbackKind TransportSteering = Add(
        "transport.steering",
        "The kernel does not steer connections by the CPU that receives them.",
        "The loop that accepts a connection passes it to the loop of that CPU.",
        "Use Linux 4.6 or later, and a seccomp profile that allows setsockopt(2).");

    public static readonly FallbackKind TransportUserTimeout = Add(
        "transport.usertimeout", "TCP_USER_TIMEOUT was refused.", SystemsSetting, SeeTcp);

    public static readonly FallbackKind UdpBroadcast = Add(
        "udp.broadcast", "SO_BROADCAST was refused.", "The kernel refuses to send to broadcast addresses.", SeeSocket);

    public static readonly FallbackKind UdpBusyPoll = Add(
        "udp.busypoll", "SO_BUSY_POLL was refused.", "Datagrams are received without it.", AllowBusyPoll);

    public static readonly FallbackKind UdpDontFragment = Add(
        "udp.dontfragment",
        "IP_MTU_DISCOVER, or its IPv6 form, was refused.",
        "The system decides whether to fragment datagrams.",
        SeeIp);

    public static readonly FallbackKind UdpGro = Add(
        "udp.gro", "UDP_GRO was refused.", "The kernel does not join datagrams.", "Use Linux 5.0 or later.");

    public static readonly FallbackKind UdpGso = Add(
        "udp.gso",
        "UDP_SEGMENT was refused, by the kernel or a network device.",
        "Datagrams are sent one by one. This socket does not try again.",
        "Use Linux 4.18 or later, and a network device that computes checksums.");

    public static readonly FallbackKind UdpMulticast = Add(
        "udp.multicast",
        "A multicast option was refused, or a group could not be joined again.",
        "The system's value applies. Nothing arrives from a group that could not be joined again.",
        SeeIp);

    public static readonly FallbackKind UdpOwnSource = Add(
        "udp.ownsource",
        "DropOwnSource is set, and the addresses of the machine's interfaces could not be read.",
        "Only loopback and the addresses read before count as the socket's own.",
        "Allow AF_NETLINK sockets, or bind to one address.");

    public static readonly FallbackKind UdpPacketInfo = Add(
        "udp.packetinfo",
        "IP_PKTINFO, or its IPv6 form, was refused.",
        "Replies leave from the address that routing chooses.",
        "Bind to one address.");

    public static readonly FallbackKind UdpReceiveBuffer = Add(
        "udp.receivebuffer", "SO_RCVBUF was refused or reduced.", KernelsSize, RaiseReceiveLimit);

    public static readonly FallbackKind UdpSendBuffer = Add(
        "udp.sendbuffer", "SO_SNDBUF was refused or reduced.", KernelsSize, RaiseSendLimit);

    public static readonly FallbackKind UdpSteering = Add(
        "udp.steering",
        "The kernel does not steer datagrams by the CPU that receives them.",
        "The kernel chooses the shard by the addresses.",
        "Use Linux 4.5 or later, and a seccomp profile that allows setsockopt(2).");

    public static readonly FallbackKind UdpTimestamps = Add(
        "udp.timestamps", "SO_TIMESTAMPNS was refused.", "Datagrams have no time.", SeeSocket);

    public static readonly FallbackKind UdpTimeToLive = Add(
        "udp.timetolive", "IP_TTL, or its IPv6 form, was refused.", "The system's value applies.", SeeIp);

    public static readonly FallbackKind UdpTrafficClass = Add(
        "udp.trafficclass",
        "IP_TOS or IP_RECVTOS, or an IPv6 form, was refused.",
        "The system's class applies. Received datagrams have none.",
        SeeIp);

    /// <summary>All kinds.</summary>
    public static IReadOnlyCollection<FallbackKind> All => s_kinds.Values;

    /// <summary>The kind of that id; <see langword="null"/> for a feature of a plugin or an application.</summary>
    public static FallbackKind? Find(string id) => s_kinds.GetValueOrDefault(id);

    private static FallbackKind Add(string id, string cause, string effect, string remedy)
    {
        var kind = new FallbackKind(id, cause, effect, remedy);
        s_kinds.Add(id, kind);
        return kind;
    }
}

/// <summary>A kind of fallback, the same for every report of it. The texts are whole sentences, in plain text.</summary>
/// <param name="Id">
/// <see cref="NumaFallback.Feature"/>: the component that reports it, a dot, a word. Stable: alerts and metrics use it.
/// </param>
/// <param name="Cause">What is unavailable.</param>
/// <param name="Effect">What NumaSharp does instead.</param>
/// <param name="Remedy">What to do about it: <see cref="NumaFallback.Remedy"/>.</param>
internal sealed record FallbackKind(string Id, string Cause, string Effect, string Remedy);

/// <summary>
/// Remedies that hold for one error or on one system only, for what knows both: doctor, and a start that is refused.
/// </summary>
internal static class RefusalRemedies
{
    /// <summary>Linux, EPERM of mbind(2).</summary>
    public const string AllowMbind =
        "If Linux does not permit mbind(2), allow it: in a container, add CAP_SYS_NICE or a seccomp profile that allows it "
        + "(Docker's default does not).";

    /// <summary>Linux, EPERM of move_pages(2).</summary>
    public const string AllowMovePages =
        "In a container, add a seccomp profile that allows move_pages(2): those of Docker and containerd do not, even with "
        + "CAP_SYS_NICE.";

    /// <summary>Linux, ENOSYS of mbind(2).</summary>
    public const string BindNothingOnLinux =
        "The kernel has no mbind (CONFIG_NUMA), or a sandbox hides it: set Numa:Binding:Mode to None.";

    /// <summary>A system without an equivalent of mbind(2).</summary>
    public const string BindNothing = "This system cannot bind memory: set Numa:Binding:Mode to None.";

    /// <summary>A system that knows no strict binding.</summary>
    public const string BindAdvisorily = "This system cannot bind memory strictly: set Numa:Binding:Mode to Advisory.";

    /// <summary>A node outside the memory set of the process.</summary>
    public const string NameOtherNodes = "The process may not use the node's memory: name other nodes in Numa:Binding:Nodes.";

    /// <summary>No memory, on any system.</summary>
    public const string FreeMemory = "Free memory, or raise what limits the process.";

    /// <summary>Any other error, without Linux.</summary>
    public const string SeeSystem = "See the system's documentation for the error.";
}
