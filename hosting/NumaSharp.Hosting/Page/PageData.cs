namespace NumaSharp.Hosting.Page;

/// <summary>The page's data: the machine, the plan, how it was applied, and counters since the start.</summary>
/// <param name="Time">When it was read.</param>
/// <param name="IntervalSeconds">The interval of the event stream.</param>
/// <param name="Process">The process.</param>
/// <param name="Plan">The plan as a whole.</param>
/// <param name="Nodes">The nodes of the machine, by kernel id.</param>
/// <param name="Loops">The event loops; none while the transport is not running.</param>
/// <param name="Datagrams">The event loops that have or had datagram sockets.</param>
/// <param name="Traffic">The work moved between nodes.</param>
/// <param name="Fallbacks">The active fallbacks.</param>
internal sealed record PageData(
    DateTimeOffset Time,
    double IntervalSeconds,
    ProcessState Process,
    PlanState Plan,
    IReadOnlyList<NodeState> Nodes,
    IReadOnlyList<LoopState> Loops,
    IReadOnlyList<DatagramState> Datagrams,
    IReadOnlyList<TrafficState> Traffic,
    IReadOnlyList<FallbackState> Fallbacks);

/// <summary>The process.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Host">The name of the machine.</param>
/// <param name="Runtime">The runtime, such as <c>.NET 10.0.0</c>.</param>
/// <param name="Version">The version of NumaSharp.</param>
/// <param name="UptimeSeconds">The time since its start.</param>
internal sealed record ProcessState(int Id, string Host, string Runtime, string Version, double UptimeSeconds);

/// <summary>The plan as a whole.</summary>
/// <param name="Summary">One line, as in the log.</param>
/// <param name="IsEnabled">Whether anything is pinned or bound.</param>
/// <param name="Source">The source of the topology.</param>
/// <param name="MemoryPolicy">The nodes that a node's memory comes from (<c>Numa:Binding:Policy</c>).</param>
/// <param name="BindMode">How memory is bound (<c>Numa:Binding:Mode</c>).</param>
/// <param name="SchedulerPolicy">Where work may run (<c>Numa:Scheduler:Policy</c>).</param>
/// <param name="Transport">The transport that serves connections, and its dispatch.</param>
/// <param name="AllowedCpus">The CPUs that the process may use, as a kernel list.</param>
/// <param name="PlannedCpus">Those that the plan uses.</param>
/// <param name="Changes">How often the plan was adapted to a changed machine.</param>
/// <param name="Notes">Why the plan is as it is, and why objects may be on other nodes than their threads.</param>
/// <param name="Warnings">Inconsistencies of the machine's topology.</param>
internal sealed record PlanState(
    string Summary,
    bool IsEnabled,
    string Source,
    string MemoryPolicy,
    string BindMode,
    string SchedulerPolicy,
    string Transport,
    string AllowedCpus,
    string PlannedCpus,
    long Changes,
    IReadOnlyList<string> Notes,
    IReadOnlyList<string> Warnings);

/// <summary>A node of the machine.</summary>
/// <param name="Id">The kernel id.</param>
/// <param name="Kind">Its resources: CPUs, memory, both or a device's memory.</param>
/// <param name="Cpus">Its CPUs that the process may use, as a kernel list.</param>
/// <param name="OnlineCpus">Its online CPUs.</param>
/// <param name="IsMemoryAllowed">Whether the process may use its memory.</param>
/// <param name="MemoryTier">The tier of its memory; absent if the kernel reports none.</param>
/// <param name="MemoryBytes">Its memory.</param>
/// <param name="MemoryFreeBytes">Its free memory.</param>
/// <param name="ManagedHeapBytes">
/// How much of it this process's garbage collector has; absent if the kernel does not say.
/// </param>
/// <param name="HugePages">Its pools of huge pages.</param>
/// <param name="Distances">Its distances to all nodes, in the order of <see cref="PageData.Nodes"/>.</param>
/// <param name="Allocations">
/// The kernel's numastat; absent if the provider has no counters, 0 if the kernel does not count.
/// </param>
/// <param name="Placement">Its planned and actual placement; absent for a node that is not in the plan.</param>
internal sealed record NodeState(
    int Id,
    string Kind,
    string Cpus,
    string OnlineCpus,
    bool IsMemoryAllowed,
    int? MemoryTier,
    long MemoryBytes,
    long MemoryFreeBytes,
    long? ManagedHeapBytes,
    IReadOnlyList<HugePageState> HugePages,
    IReadOnlyList<int> Distances,
    AllocationState? Allocations,
    PlacementState? Placement);

/// <summary>A pool of huge pages.</summary>
/// <param name="PageBytes">The size of a page.</param>
/// <param name="Total">The number of pages.</param>
/// <param name="Free">The number of free pages.</param>
internal sealed record HugePageState(long PageBytes, long Total, long Free);

/// <summary>The kernel's numastat of a node: allocations since boot, by all processes.</summary>
/// <param name="Hit">Wanted on the node, and served from it.</param>
/// <param name="Miss">Served from the node, although another was wanted.</param>
/// <param name="Foreign">Wanted on the node, and served from another.</param>
/// <param name="Local">Served from the node, to a process running on it.</param>
/// <param name="Other">Served from the node, to a process running on another.</param>
internal sealed record AllocationState(long Hit, long Miss, long Foreign, long Local, long Other);

/// <summary>The planned and actual placement on a node.</summary>
/// <param name="Index">The position in the plan.</param>
/// <param name="ServedBy">The kernel id of the node whose workers run its work; its own if it had CPUs at the start.</param>
/// <param name="Planned">The placement according to the plan of the start.</param>
/// <param name="Applied">The current placement.</param>
/// <param name="Work">Its work.</param>
/// <param name="Memory">The memory of its pools and of the allocator.</param>
internal sealed record PlacementState(
    int Index, int ServedBy, PlacedState Planned, PlacedState Applied, WorkState Work, MemoryState Memory);

/// <summary>Threads and memory of a node.</summary>
/// <param name="Cpus">The CPUs of its threads, as a kernel list.</param>
/// <param name="MemoryNodes">The nodes that its memory comes from, as a kernel list.</param>
/// <param name="Binding">
/// <c>bound</c>, or <c>none</c> if the bind mode is None; in the current placement <c>first touch</c> while <c>memory.bind</c>
/// is reported for the node.
/// </param>
/// <param name="Workers">Its workers, without spares.</param>
/// <param name="Loops">Its event loops; in the current placement those that serve, 0 while the transport is not running.</param>
internal sealed record PlacedState(string Cpus, string MemoryNodes, string Binding, int Workers, int Loops);

/// <summary>The work of a node.</summary>
/// <param name="Queued">Queued items.</param>
/// <param name="Executed">Items run by its workers.</param>
/// <param name="Escapes">Asynchronous work that began on its workers and ended elsewhere.</param>
/// <param name="Spares">Additional workers while others are blocked.</param>
internal sealed record WorkState(long Queued, long Executed, long Escapes, int Spares);

/// <summary>The memory of a node's pools and of the allocator on it, in bytes.</summary>
/// <param name="PoolRented">In rented blocks.</param>
/// <param name="PoolCommitted">Taken from the system by the pools.</param>
/// <param name="Allocated">Handed out by the allocator.</param>
/// <param name="AllocatorCommitted">Taken from the system by the allocator.</param>
/// <param name="RemoteFrees">Allocator blocks of the node returned by threads on other nodes.</param>
internal sealed record MemoryState(
    long PoolRented, long PoolCommitted, long Allocated, long AllocatorCommitted, long RemoteFrees);

/// <summary>An event loop of the transport.</summary>
/// <param name="Index">Its number.</param>
/// <param name="Node">The kernel id of its node.</param>
/// <param name="IsServing">Whether it serves.</param>
/// <param name="StuckSeconds">How long one callback has blocked it, if 5 seconds or more; otherwise 0.</param>
/// <param name="Connections">Open connections.</param>
/// <param name="Accepted">Accepted connections.</param>
/// <param name="Placed">The part of them that came from other loops' listening sockets.</param>
/// <param name="BytesReceived">Received bytes.</param>
/// <param name="BytesSent">Sent bytes.</param>
/// <param name="Receives">The number of receives, estimated from one sample in 64; 0 if only one node has CPUs.</param>
/// <param name="CrossNodeReceives">Those whose packets arrived through another node's CPU, estimated the same way.</param>
/// <param name="HandOvers">How often it moved to a spare thread.</param>
/// <param name="Demotions">How often its connections were moved to the node's workers.</param>
/// <param name="Restarts">How often it was rebuilt.</param>
internal sealed record LoopState(
    int Index,
    int Node,
    bool IsServing,
    double StuckSeconds,
    long Connections,
    long Accepted,
    long Placed,
    long BytesReceived,
    long BytesSent,
    long Receives,
    long CrossNodeReceives,
    long HandOvers,
    long Demotions,
    long Restarts);

/// <summary>The datagram sockets of an event loop, including closed ones.</summary>
/// <param name="Loop">The number of the loop.</param>
/// <param name="Node">The kernel id of its node.</param>
/// <param name="IsServing">Whether all open ones are serving.</param>
/// <param name="Received">Datagrams received.</param>
/// <param name="Sent">Datagrams sent.</param>
/// <param name="BytesReceived">Their bytes.</param>
/// <param name="BytesSent">Their bytes.</param>
/// <param name="Dropped">Lost datagrams, for any reason.</param>
internal sealed record DatagramState(
    int Loop, int Node, bool IsServing, long Received, long Sent, long BytesReceived, long BytesSent, long Dropped);

/// <summary>Work moved from one node to another.</summary>
/// <param name="From">The kernel id of the node whose queue it was in.</param>
/// <param name="To">The kernel id of the node whose workers took it.</param>
/// <param name="Items">The number of items since the start.</param>
internal sealed record TrafficState(int From, int To, long Items);

/// <summary>An active fallback.</summary>
/// <param name="Feature">The stable name.</param>
/// <param name="Node">The kernel id of the node it concerns; absent if it concerns all.</param>
/// <param name="Message">What happened.</param>
/// <param name="Advice">What to do; absent if nothing is known.</param>
internal sealed record FallbackState(string Feature, int? Node, string Message, string? Advice);
