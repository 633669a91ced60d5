namespace NumaSharp.Hosting;

/// <summary>
/// The names under which NUMA facts are published. They follow OpenTelemetry's conventions and are part of the public API;
/// docs/reference/metrics.md describes each.
/// </summary>
public static class NumaTelemetry
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "NumaSharp";

    /// <summary>The name of the activity source.</summary>
    public const string ActivitySourceName = "NumaSharp";

    /// <summary>The attribute that carries a node's kernel id.</summary>
    public const string NodeIdAttribute = "numasharp.node.id";

    /// <summary>The nodes of the topology.</summary>
    public const string NodeCount = "numasharp.node.count";

    /// <summary>The CPUs that the process may run on.</summary>
    public const string CpuAllowedCount = "numasharp.cpu.allowed.count";

    /// <summary>The bytes of a node's memory that are in use, by anybody.</summary>
    public const string NodeMemoryUsage = "numasharp.node.memory.usage";

    /// <summary>The bytes of memory that a node has.</summary>
    public const string NodeMemoryLimit = "numasharp.node.memory.limit";

    /// <summary>numa_hit: the allocations that were wanted on a node and came from it.</summary>
    public const string NodeAllocationsHit = "numasharp.node.allocations.hit";

    /// <summary>numa_miss: the allocations that came from a node although another was wanted.</summary>
    public const string NodeAllocationsMiss = "numasharp.node.allocations.miss";

    /// <summary>numa_foreign: the allocations that were wanted on a node and came from another.</summary>
    public const string NodeAllocationsForeign = "numasharp.node.allocations.foreign";

    /// <summary>interleave_hit: the allocations that interleaving wanted on a node and that came from it.</summary>
    public const string NodeAllocationsInterleaveHit = "numasharp.node.allocations.interleave_hit";

    /// <summary>local_node: the allocations that came from a node while the process ran on it.</summary>
    public const string NodeAllocationsLocal = "numasharp.node.allocations.local";

    /// <summary>other_node: the allocations that came from a node while the process ran on another.</summary>
    public const string NodeAllocationsOther = "numasharp.node.allocations.other";

    /// <summary>The bytes in blocks of a node's pools that are rented.</summary>
    public const string PoolRented = "numasharp.pool.rented";

    /// <summary>The bytes in blocks of a node's pools that are free.</summary>
    public const string PoolPooled = "numasharp.pool.pooled";

    /// <summary>The bytes that a node's pools have taken from the system.</summary>
    public const string PoolCommitted = "numasharp.pool.committed";

    /// <summary>The blocks of a node's pools that were forgotten and taken back.</summary>
    public const string PoolAbandoned = "numasharp.pool.abandoned";

    /// <summary>The bytes in blocks of the allocator on a node that are in use.</summary>
    public const string AllocatorAllocated = "numasharp.allocator.allocated";

    /// <summary>The bytes that the allocator has taken from the system for a node.</summary>
    public const string AllocatorCommitted = "numasharp.allocator.committed";

    /// <summary>The allocator's blocks of a node that threads of other nodes have given back.</summary>
    public const string AllocatorRemoteFrees = "numasharp.allocator.remote_frees";

    /// <summary>The work items that wait for a worker of a node.</summary>
    public const string SchedulerQueueLength = "numasharp.scheduler.queue.length";

    /// <summary>The work items that a node's workers have run.</summary>
    public const string SchedulerExecuted = "numasharp.scheduler.executed";

    /// <summary>The work items that a node's workers took from other workers, by distance.</summary>
    public const string SchedulerSteals = "numasharp.scheduler.steals";

    /// <summary>The attribute that tells how far it is between two nodes.</summary>
    public const string NodeDistanceAttribute = "numasharp.node.distance";

    /// <summary>The asynchronous work that began on a node and ended outside the workers.</summary>
    public const string SchedulerEscapes = "numasharp.scheduler.escapes";

    /// <summary>The threads that run a node's work.</summary>
    public const string SchedulerWorkers = "numasharp.scheduler.workers";

    /// <summary>The attribute that tells planned workers from spare ones.</summary>
    public const string WorkerKindAttribute = "numasharp.worker.kind";

    /// <summary>How long work items waited for a worker.</summary>
    public const string SchedulerWait = "numasharp.scheduler.wait";

    /// <summary>The attribute that tells receive from transmit.</summary>
    public const string IoDirectionAttribute = "network.io.direction";

    /// <summary>The connections of a node's loops that are open.</summary>
    public const string TransportActiveConnections = "numasharp.transport.active_connections";

    /// <summary>The connections that a node's loops have accepted.</summary>
    public const string TransportAccepts = "numasharp.transport.accepts";

    /// <summary>The connections that a node's loops got from other loops' listening sockets.</summary>
    public const string TransportPlacements = "numasharp.transport.placements";

    /// <summary>How many times the mean of all loops the busiest loop has connections.</summary>
    public const string TransportImbalance = "numasharp.transport.imbalance";

    /// <summary>The errors of accepting on a node's loops.</summary>
    public const string TransportAcceptErrors = "numasharp.transport.accept_errors";

    /// <summary>The bytes that a node's loops have received and sent.</summary>
    public const string TransportIo = "numasharp.transport.io";

    /// <summary>How often a node's loops have received from connections, in samples.</summary>
    public const string TransportReceives = "numasharp.transport.receives";

    /// <summary>For how many of them the packets came in by a CPU of another node.</summary>
    public const string TransportCrossNodeReceives = "numasharp.transport.cross_node_receives";

    /// <summary>How often a node's loops moved to a spare thread because application code blocked theirs.</summary>
    public const string TransportHandOvers = "numasharp.transport.hand_overs";

    /// <summary>How often connections of a node's loops were moved to its workers because they kept a loop's thread.</summary>
    public const string TransportDemotions = "numasharp.transport.demotions";

    /// <summary>How often a node's loops were made anew, by themselves or on request.</summary>
    public const string TransportRestarts = "numasharp.transport.restarts";

    /// <summary>A node's loops that a callback keeps and no other thread can take over.</summary>
    public const string TransportStuckLoops = "numasharp.transport.stuck_loops";

    /// <summary>The datagram sockets of a node's loops that are open.</summary>
    public const string UdpSockets = "numasharp.udp.sockets";

    /// <summary>The datagrams that a node's loops have received and sent.</summary>
    public const string UdpDatagrams = "numasharp.udp.datagrams";

    /// <summary>The bytes of payload that a node's loops have received and sent in datagrams.</summary>
    public const string UdpIo = "numasharp.udp.io";

    /// <summary>The system calls that have received datagrams on a node's loops.</summary>
    public const string UdpReceives = "numasharp.udp.receives";

    /// <summary>The datagrams that were lost on a node's loops, and counted.</summary>
    public const string UdpDrops = "numasharp.udp.drops";

    /// <summary>What went wrong with datagrams on a node's loops.</summary>
    public const string UdpErrors = "numasharp.udp.errors";

    /// <summary>How often datagram sockets of a node's loops were made anew.</summary>
    public const string UdpRestarts = "numasharp.udp.restarts";

    /// <summary>The attribute that tells why something was lost, or what went wrong.</summary>
    public const string ErrorTypeAttribute = "error.type";

    /// <summary>How often anything that was asked for could not be had.</summary>
    public const string PolicyFallbacks = "numasharp.policy.fallbacks";

    /// <summary>The attribute with the stable name of what was asked for and could not be had.</summary>
    public const string FeatureAttribute = "numasharp.feature";

    /// <summary>What was asked for and cannot be had at the moment, by feature and node.</summary>
    public const string PolicyActiveFallbacks = "numasharp.policy.active_fallbacks";

    /// <summary>How often the plan has followed a machine that changed.</summary>
    public const string PlanChanges = "numasharp.plan.changes";
}
