using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace Aspire.Hosting.ApplicationModel;

/// <summary>
/// The settings that <c>WithNuma</c> passes to a resource. Those that are <see langword="null"/> are left to the resource's own
/// settings. Not thread-safe: an AppHost describes its resources on one thread.
/// </summary>
public sealed class NumaResourceOptions
{
    /// <summary>The kernel ids of the nodes to use, as a kernel list such as <c>0-1,4</c> (cpuset(7), "List format").</summary>
    /// <exception cref="ArgumentException">Not a kernel list, or an empty one.</exception>
    public string? Nodes
    {
        get;
        set => field = Checked(nameof(Nodes), value);
    }

    /// <summary>The CPUs to use, as a kernel list such as <c>0-7,16-23</c>.</summary>
    /// <exception cref="ArgumentException">Not a kernel list, or an empty one.</exception>
    public string? Cpus
    {
        get;
        set => field = Checked(nameof(Cpus), value);
    }

    /// <summary>How memory is bound to a node.</summary>
    public NumaBindMode? BindMode { get; set; }

    /// <summary>The nodes that a node's memory comes from.</summary>
    public NumaMemoryPolicy? MemoryPolicy { get; set; }

    /// <summary>The number of bytes that each node's pool takes at start.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public long? PoolSizePerNode
    {
        get;
        set => field = NotNegative(nameof(PoolSizePerNode), value);
    }

    /// <summary>The maximum number of bytes of each node's pools, and of its allocator; 0 for no limit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public long? MemoryLimitPerNode
    {
        get;
        set => field = NotNegative(nameof(MemoryLimitPerNode), value);
    }

    /// <summary>How the scheduler trades locality for balance.</summary>
    public NumaSchedulingPolicy? SchedulingPolicy { get; set; }

    /// <summary>Workers of the scheduler per node; 0 for one per CPU of the node.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public int? ThreadsPerNode
    {
        get;
        set => field = (int?)NotNegative(nameof(ThreadsPerNode), value);
    }

    /// <summary>Where application code runs when data has arrived.</summary>
    public NumaDispatchMode? Dispatch { get; set; }

    /// <summary>Event loops per node; 0 for one per CPU of the node.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public int? LoopsPerNode
    {
        get;
        set => field = (int?)NotNegative(nameof(LoopsPerNode), value);
    }

    /// <summary>
    /// Whether a container gets CAP_SYS_NICE, with which the engines' default seccomp profile allows mbind(2); without it memory
    /// is placed by first touch. Default false.
    /// </summary>
    public bool AllowMemoryBinding { get; set; }

    /// <summary>The file with a container's seccomp profile; the engine's own when <see langword="null"/>.</summary>
    public string? SeccompProfile { get; set; }

    /// <summary>The maximum number of open descriptors in a container (RLIMIT_NOFILE): each connection takes one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public int? OpenFiles
    {
        get;
        set => field = (int?)NotNegative(nameof(OpenFiles), value);
    }

    /// <summary>The maximum number of bytes a container may lock (RLIMIT_MEMLOCK).</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public long? LockedMemoryBytes
    {
        get;
        set => field = NotNegative(nameof(LockedMemoryBytes), value);
    }

    /// <summary>
    /// The number of whole CPUs that a pod requests and is limited to when the model is published for Kubernetes. With
    /// <see cref="PodMemoryBytes"/> its class becomes Guaranteed; otherwise neither the static CPU manager nor the topology
    /// manager gives it CPUs of one node.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or 0.</exception>
    public int? PodCpus
    {
        get;
        set => field = value is <= 0 ? throw Refused(nameof(PodCpus), value, "a number of CPUs, from 1") : value;
    }

    /// <summary>The number of bytes that a pod requests and is limited to when the model is published for Kubernetes.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or 0.</exception>
    public long? PodMemoryBytes
    {
        get;
        set => field = value is <= 0 ? throw Refused(nameof(PodMemoryBytes), value, "a number of bytes, from 1") : value;
    }

    /// <summary>
    /// Any other setting, by its case-insensitive key below <c>Numa</c>, such as <c>Transport:NoDelay</c>. Overrides the
    /// properties here. The resource itself checks keys and values when it starts.
    /// </summary>
    public IDictionary<string, string> Settings { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    private static string? Checked(string name, string? list) =>
        list is null || (CpuSet.TryParseList(list, out var set) && !set.IsEmpty)
            ? list
            : throw new ArgumentException($"{name} = '{list}': must be a kernel list such as '0-3,8'.", nameof(list));

    private static long? NotNegative(string name, long? value) =>
        value is < 0 ? throw Refused(name, value, "a number from 0") : value;

    private static ArgumentOutOfRangeException Refused(string name, long? value, string allowed) =>
        new(nameof(value), value, $"{name} = '{value}': must be {allowed}.");
}

/// <summary>Where application code of a resource runs when data has arrived: <c>Numa:Transport:Dispatch</c>.</summary>
public enum NumaDispatchMode
{
    /// <summary>On the event loop, which moves to another thread if the code takes long.</summary>
    Adaptive,

    /// <summary>Always on the event loop.</summary>
    Inline,

    /// <summary>On the scheduler of the connection's node.</summary>
    Node,

    /// <summary>On the .NET thread pool.</summary>
    ThreadPool,
}
