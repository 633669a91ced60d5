namespace NumaSharp.Hosting;

/// <summary>
/// The names of the meter and of the activity source. Those of metrics and attributes, which follow OpenTelemetry's conventions,
/// are in docs/reference/metrics.md.
/// </summary>
public static class NumaTelemetry
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "NumaSharp";

    /// <summary>The name of the activity source.</summary>
    public const string ActivitySourceName = "NumaSharp";

    /// <summary>The attribute with a node's kernel id.</summary>
    internal const string NodeIdAttribute = "numasharp.node.id";

    /// <summary>The nodes with CPUs or memory that the process may use.</summary>
    internal const string NodeCount = "numasharp.node.count";

    /// <summary>The CPUs that the process may run on.</summary>
    internal const string CpuAllowedCount = "numasharp.cpu.allowed.count";

    /// <summary>The bytes of a node's memory in use, by all processes.</summary>
    internal const string NodeMemoryUsage = "numasharp.node.memory.usage";

    /// <summary>A node's memory in bytes.</summary>
    internal const string NodeMemoryLimit = "numasharp.node.memory.limit";

    /// <summary>The bytes of this process's garbage collector on a node.</summary>
    internal const string NodeManagedHeapUsage = "numasharp.node.managed_heap.usage";

    /// <summary>numa_hit: the allocations intended for a node and served from it.</summary>
    internal const string NodeAllocationsHit = "numasharp.node.allocations.hit";

    /// <summary>numa_miss: the allocations intended for another node and served from this one.</summary>
    internal const string NodeAllocationsMiss = "numasharp.node.allocations.miss";

    /// <summary>numa_foreign: the allocations intended for a node and served from another.</summary>
    internal const string NodeAllocationsForeign = "numasharp.node.allocations.foreign";

    /// <summary>interleave_hit: the interleaved allocations intended for a node and served from it.</summary>
    internal const string NodeAllocationsInterleaveHit = "numasharp.node.allocations.interleave_hit";

    /// <summary>local_node: the allocations served from a node to a process running on it.</summary>
    internal const string NodeAllocationsLocal = "numasharp.node.allocations.local";

    /// <summary>other_node: the allocations served from a node to a process running on another.</summary>
    internal const string NodeAllocationsOther = "numasharp.node.allocations.other";

    /// <summary>The bytes in rented blocks of a node's pools.</summary>
    internal const string PoolRented = "numasharp.pool.rented";

    /// <summary>The bytes in free blocks of a node's pools.</summary>
    internal const string PoolPooled = "numasharp.pool.pooled";

    /// <summary>The bytes that a node's pools have taken from the system.</summary>
    internal const string PoolCommitted = "numasharp.pool.committed";

    /// <summary>The blocks of a node's pools that were never returned and have been reclaimed.</summary>
    internal const string PoolAbandoned = "numasharp.pool.abandoned";

    /// <summary>The bytes in blocks in use of the allocator on a node.</summary>
    internal const string AllocatorAllocated = "numasharp.allocator.allocated";

    /// <summary>The bytes that the allocator has taken from the system for a node.</summary>
    internal const string AllocatorCommitted = "numasharp.allocator.committed";

    /// <summary>The allocator's blocks of a node returned by threads on other nodes.</summary>
    internal const string AllocatorRemoteFrees = "numasharp.allocator.remote_frees";

    /// <summary>How often free memory was given back because memory was short.</summary>
    internal const string MemoryPressureTrims = "numasharp.memory.pressure.trims";

    /// <summary>The bytes that went back then.</summary>
    internal const string MemoryPressureReleased = "numasharp.memory.pressure.released";

    /// <summary>The work items waiting for a worker of a node.</summary>
    internal const string SchedulerQueueLength = "numasharp.scheduler.queue.length";

    /// <summary>The work items that a node's workers have run.</summary>
    internal const string SchedulerExecuted = "numasharp.scheduler.executed";

    /// <summary>The work items that a node's workers took from other workers, by distance.</summary>
    internal const string SchedulerSteals = "numasharp.scheduler.steals";

    /// <summary>The attribute with the distance between two nodes.</summary>
    internal const string NodeDistanceAttribute = "numasharp.node.distance";

    /// <summary>The asynchronous work that began on a node's workers and ended outside the workers.</summary>
    internal const string SchedulerEscapes = "numasharp.scheduler.escapes";

    /// <summary>The threads that run a node's work.</summary>
    internal const string SchedulerWorkers = "numasharp.scheduler.workers";

    /// <summary>The attribute that distinguishes planned workers from spare ones.</summary>
    internal const string WorkerKindAttribute = "numasharp.worker.kind";

    /// <summary>How long work items waited for a worker.</summary>
    internal const string SchedulerWait = "numasharp.scheduler.wait";

    /// <summary>The attribute that distinguishes receive from transmit.</summary>
    internal const string IoDirectionAttribute = "network.io.direction";

    /// <summary>The open connections of a node's loops.</summary>
    internal const string TransportActiveConnections = "numasharp.transport.active_connections";

    /// <summary>The accepted connections assigned to a node's loops.</summary>
    internal const string TransportAccepts = "numasharp.transport.accepts";

    /// <summary>The accepted connections assigned to a node's loops from other loops' listening sockets.</summary>
    internal const string TransportPlacements = "numasharp.transport.placements";

    /// <summary>Connections of the busiest loop divided by the mean over all loops.</summary>
    internal const string TransportImbalance = "numasharp.transport.imbalance";

    /// <summary>The accept errors of a node's loops.</summary>
    internal const string TransportAcceptErrors = "numasharp.transport.accept_errors";

    /// <summary>The bytes that a node's loops have received and sent.</summary>
    internal const string TransportIo = "numasharp.transport.io";

    /// <summary>The receives from connections by a node's loops, estimated from samples.</summary>
    internal const string TransportReceives = "numasharp.transport.receives";

    /// <summary>The part of them whose packets arrived through another node's CPU.</summary>
    internal const string TransportCrossNodeReceives = "numasharp.transport.cross_node_receives";

    /// <summary>How often a node's loops moved to a spare thread because application code blocked theirs.</summary>
    internal const string TransportHandOvers = "numasharp.transport.hand_overs";

    /// <summary>
    /// How often connections of a node's loops were moved to its workers because callbacks blocked the loops' threads.
    /// </summary>
    internal const string TransportDemotions = "numasharp.transport.demotions";

    /// <summary>How often a node's loops were rebuilt, by themselves or on request.</summary>
    internal const string TransportRestarts = "numasharp.transport.restarts";

    /// <summary>A node's loops that are blocked by a callback and cannot be taken over by another thread.</summary>
    internal const string TransportStuckLoops = "numasharp.transport.stuck_loops";

    /// <summary>The open datagram sockets of a node's loops.</summary>
    internal const string UdpSockets = "numasharp.udp.sockets";

    /// <summary>The datagrams that a node's loops have received and sent.</summary>
    internal const string UdpDatagrams = "numasharp.udp.datagrams";

    /// <summary>The bytes of payload that a node's loops have received and sent in datagrams.</summary>
    internal const string UdpIo = "numasharp.udp.io";

    /// <summary>The system calls that received datagrams on a node's loops.</summary>
    internal const string UdpReceives = "numasharp.udp.receives";

    /// <summary>The datagrams lost and counted on a node's loops.</summary>
    internal const string UdpDrops = "numasharp.udp.drops";

    /// <summary>The datagram errors on a node's loops.</summary>
    internal const string UdpErrors = "numasharp.udp.errors";

    /// <summary>How often datagram sockets of a node's loops were reopened.</summary>
    internal const string UdpRestarts = "numasharp.udp.restarts";

    /// <summary>The attribute with the reason of a loss or an error.</summary>
    internal const string ErrorTypeAttribute = "error.type";

    /// <summary>The fallbacks reported so far, repeats included.</summary>
    internal const string PolicyFallbacks = "numasharp.policy.fallbacks";

    /// <summary>The attribute with the stable name of the feature that fell back.</summary>
    internal const string FeatureAttribute = "numasharp.feature";

    /// <summary>The active fallbacks, by feature and node.</summary>
    internal const string PolicyActiveFallbacks = "numasharp.policy.active_fallbacks";

    /// <summary>How often the plan was adapted to a changed machine.</summary>
    internal const string PlanChanges = "numasharp.plan.changes";
}
