namespace NumaSharp.Hosting.Page;

/// <summary>What the page shows: the machine, the plan, what was made of it, and what has happened since the start.</summary>
/// <param name="Time">When it was read.</param>
/// <param name="IntervalSeconds">How often the stream of events sends one.</param>
/// <param name="Process">The process.</param>
/// <param name="Plan">The plan as a whole.</param>
/// <param name="Nodes">The nodes of the machine, by kernel id.</param>
/// <param name="Loops">The event loops; none while the transport does not run.</param>
/// <param name="Datagrams">The event loops that have or had datagram sockets.</param>
/// <param name="Traffic">What went from one node to another.</param>
/// <param name="Fallbacks">What was asked for and cannot be had.</param>
internal sealed record MachineState(
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
/// <param name="Id">Its number.</param>
/// <param name="Host">The name of the machine.</param>
/// <param name="Runtime">The runtime, such as <c>.NET 10.0.0</c>.</param>
/// <param name="Version">The version of NumaSharp.</param>
/// <param name="UptimeSeconds">Since its start.</param>
internal sealed record ProcessState(int Id, string Host, string Runtime, string Version, double UptimeSeconds);

/// <summary>The plan as a whole.</summary>
/// <param name="Summary">In one line, as the log has it.</param>
/// <param name="IsEnabled">Whether anything is pinned or bound.</param>
/// <param name="Source">What the machine was read from.</param>
/// <param name="MemoryPolicy">Where the memory of a node comes from (<c>Numa:Binding:Policy</c>).</param>
/// <param name="BindMode">How memory is bound (<c>Numa:Binding:Mode</c>).</param>
/// <param name="SchedulerPolicy">Where work may run (<c>Numa:Scheduler:Policy</c>).</param>
/// <param name="Transport">Who serves connections, and how.</param>
/// <param name="AllowedCpus">The CPUs that the process may use, as a kernel list.</param>
/// <param name="PlannedCpus">Those of them that the plan uses.</param>
/// <param name="Changes">How often the plan has followed a machine that changed.</param>
/// <param name="Notes">Why the plan is as it is.</param>
/// <param name="Warnings">What was odd about the machine.</param>
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
/// <param name="Kind">What it has: CPUs, memory, both or a device's memory.</param>
/// <param name="Cpus">Its CPUs that the process may use, as a kernel list.</param>
/// <param name="OnlineCpus">Its CPUs that are online.</param>
/// <param name="IsMemoryAllowed">Whether the process may use its memory.</param>
/// <param name="MemoryTier">The tier of its memory; absent where the kernel tells none.</param>
/// <param name="MemoryBytes">The memory that it has.</param>
/// <param name="MemoryFreeBytes">Memory of it that is free.</param>
/// <param name="HugePages">Its pools of huge pages.</param>
/// <param name="Distances">From it to each node, in the order of <see cref="MachineState.Nodes"/>.</param>
/// <param name="Allocations">The kernel's numastat; absent where it does not count.</param>
/// <param name="Placement">What the plan puts on it, and what is there; absent for a node that is not in the plan.</param>
internal sealed record NodeState(
    int Id,
    string Kind,
    string Cpus,
    string OnlineCpus,
    bool IsMemoryAllowed,
    int? MemoryTier,
    long MemoryBytes,
    long MemoryFreeBytes,
    IReadOnlyList<HugePageState> HugePages,
    IReadOnlyList<int> Distances,
    AllocationState? Allocations,
    PlacementState? Placement);

/// <summary>A pool of huge pages.</summary>
/// <param name="PageBytes">The size of a page.</param>
/// <param name="Total">How many there are.</param>
/// <param name="Free">How many are free.</param>
internal sealed record HugePageState(long PageBytes, long Total, long Free);

/// <summary>The kernel's numastat of a node: allocations since boot, by all processes.</summary>
/// <param name="Hit">Wanted on the node, and from it.</param>
/// <param name="Miss">From the node, although another was wanted.</param>
/// <param name="Foreign">Wanted on the node, and from another.</param>
/// <param name="Local">From the node, by a process that ran on it.</param>
/// <param name="Other">From the node, by a process that ran on another.</param>
internal sealed record AllocationState(long Hit, long Miss, long Foreign, long Local, long Other);

/// <summary>What the plan puts on a node, and what is there.</summary>
/// <param name="Index">The position in the plan.</param>
/// <param name="ServedBy">The kernel id of the node whose workers run its work; itself where it has CPUs.</param>
/// <param name="Planned">What the plan of the start says.</param>
/// <param name="Applied">What is so now.</param>
/// <param name="Work">Its work.</param>
/// <param name="Memory">Its memory, of the pools and the allocator.</param>
internal sealed record PlacementState(
    int Index, int ServedBy, PlacedState Planned, PlacedState Applied, WorkState Work, MemoryState Memory);

/// <summary>What is on a node.</summary>
/// <param name="Cpus">The CPUs of its threads, as a kernel list.</param>
/// <param name="MemoryNodes">The nodes that its memory comes from, as a kernel list.</param>
/// <param name="Binding"><c>bound</c>, <c>first touch</c>, or <c>none</c> where nobody asked for it.</param>
/// <param name="Workers">Its workers, spares left out.</param>
/// <param name="Loops">Its event loops that serve.</param>
internal sealed record PlacedState(string Cpus, string MemoryNodes, string Binding, int Workers, int Loops);

/// <summary>The work of a node.</summary>
/// <param name="Queued">Items that wait.</param>
/// <param name="Executed">Items that its workers have run.</param>
/// <param name="Escapes">Asynchronous work that began on it and ended elsewhere.</param>
/// <param name="Spares">Workers that are there while others are blocked.</param>
internal sealed record WorkState(long Queued, long Executed, long Escapes, int Spares);

/// <summary>The memory of a node's pools and of the allocator on it, in bytes.</summary>
/// <param name="PoolRented">In blocks that are rented.</param>
/// <param name="PoolCommitted">What the pools have taken from the system.</param>
/// <param name="Allocated">What the allocator has given out.</param>
/// <param name="AllocatorCommitted">What the allocator has taken from the system.</param>
/// <param name="RemoteFrees">Blocks that were freed by a thread of another heap.</param>
internal sealed record MemoryState(
    long PoolRented, long PoolCommitted, long Allocated, long AllocatorCommitted, long RemoteFrees);

/// <summary>An event loop of the transport.</summary>
/// <param name="Index">Its number.</param>
/// <param name="Node">The kernel id of its node.</param>
/// <param name="IsServing">Whether it serves.</param>
/// <param name="StuckSeconds">How long one callback has kept it, when that is 5 seconds or more; else 0.</param>
/// <param name="Connections">Connections that are open.</param>
/// <param name="Accepted">Connections that it has got.</param>
/// <param name="Placed">Those of them that came from other loops' listening sockets.</param>
/// <param name="BytesReceived">What it has received.</param>
/// <param name="BytesSent">What it has sent.</param>
/// <param name="Receives">How often it has received, in whole samples; 0 on one node.</param>
/// <param name="CrossNodeReceives">Those of them whose packets came in by a CPU of another node, from one sample in 64.</param>
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

/// <summary>The datagram sockets of an event loop, closed ones included.</summary>
/// <param name="Loop">The number of the loop.</param>
/// <param name="Node">The kernel id of its node.</param>
/// <param name="IsServing">Whether all that are open serve.</param>
/// <param name="Received">Datagrams received.</param>
/// <param name="Sent">Datagrams sent.</param>
/// <param name="BytesReceived">Their bytes.</param>
/// <param name="BytesSent">Their bytes.</param>
/// <param name="Dropped">Datagrams that were lost, whatever the reason.</param>
internal sealed record DatagramState(
    int Loop, int Node, bool IsServing, long Received, long Sent, long BytesReceived, long BytesSent, long Dropped);

/// <summary>Work that went from one node to another.</summary>
/// <param name="From">The kernel id of the node whose queue it was in.</param>
/// <param name="To">The kernel id of the node whose workers took it.</param>
/// <param name="Items">How much since the start.</param>
internal sealed record TrafficState(int From, int To, long Items);

/// <summary>What was asked for and cannot be had.</summary>
/// <param name="Feature">The stable name.</param>
/// <param name="Node">The kernel id of the node that it concerns; absent when it concerns all.</param>
/// <param name="Message">What happened.</param>
/// <param name="Advice">What to do; absent for a feature of somebody else's.</param>
internal sealed record FallbackState(string Feature, int? Node, string Message, string? Advice);
