using System.Collections.ObjectModel;

namespace NumaSharp.Core;

/// <summary>
/// What a plan should use of a machine, and how. The defaults are right for most services. Immutable: the dictionaries are
/// copied. Two requests are equal if all their values and entries are.
/// </summary>
public sealed record NumaPlanRequest
{
    /// <summary>
    /// <see cref="NetworkDevice"/> for all interfaces with a known node; an interface of that name cannot be selected.
    /// </summary>
    public const string AutoNetworkDevice = "Auto";

    private static readonly NodeValues<int> s_noWeights = new([], static (one, other) => one == other);
    private static readonly NodeValues<IReadOnlyList<NumaNodeId>> s_noMap = new([], AreEqual);

    // Of a type that compares its entries, as the compiler's comparison of the record asks the fields.
    private readonly NodeValues<int> _weights = s_noWeights;
    private readonly NodeValues<IReadOnlyList<NumaNodeId>> _map = s_noMap;

    /// <summary>False: one node, nothing pinned, nothing bound; services still work.</summary>
    public bool Enabled { get; init; } = true;

    /// <summary>
    /// The kernel ids of the nodes to use; <see langword="null"/> for all that are allowed and no device's memory
    /// (<see cref="NumaNodeKind.Device"/>).
    /// </summary>
    public CpuSet? Nodes { get; init; }

    /// <summary>
    /// The CPUs to use; <see langword="null"/> for all that are allowed and that the kernel's scheduler balances: isolated ones
    /// have to be named here, unless there are no others.
    /// </summary>
    public CpuSet? Cpus { get; init; }

    /// <summary>CPUs to leave to other software, such as a poll-mode driver.</summary>
    public CpuSet ReservedCpus { get; init; } = CpuSet.Empty;

    /// <summary>The set of CPUs that each thread and loop gets. Default <see cref="NumaAffinityGranularity.Auto"/>.</summary>
    public NumaAffinityGranularity Granularity { get; init; }

    /// <summary>Whether only one CPU of each physical core is used, the first that may be. Default false.</summary>
    public bool AvoidSmtSiblings { get; init; }

    /// <summary>From which nodes memory comes. Default <see cref="NumaMemoryPolicy.Local"/>.</summary>
    public NumaMemoryPolicy Policy { get; init; }

    /// <summary>
    /// For <see cref="NumaMemoryPolicy.WeightedInterleave"/>: the share of each node by kernel id, 1 to 255; 1 for a node that is
    /// not named. Empty: in proportion to the bandwidth that firmware reports, or the same for all if it reports none.
    /// </summary>
    public IReadOnlyDictionary<NumaNodeId, int> Weights
    {
        get => _weights;
        init => _weights = new(value, static (one, other) => one == other);
    }

    /// <summary>
    /// For <see cref="NumaMemoryPolicy.Custom"/>: the nodes that each node's memory comes from, by kernel id. The first is used
    /// until it is full, then the others, ordered by distance from the first. A node that is not named gets its memory as with
    /// <see cref="NumaMemoryPolicy.Local"/>.
    /// </summary>
    public IReadOnlyDictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> Map
    {
        get => _map;
        init => _map = new(value.Select(static pair => KeyValuePair.Create(pair.Key, CopyOf(pair.Value))), AreEqual);
    }

    /// <summary>How memory is bound.</summary>
    public NumaBindMode BindMode { get; init; } = NumaBindMode.Advisory;

    /// <summary>Scheduler workers per node; 0 for as many as the node has CPUs in the plan.</summary>
    public int ThreadsPerNode { get; init; }

    /// <summary>Event loops per node; 0 for as many as the node has CPUs in the plan.</summary>
    public int LoopsPerNode { get; init; }

    /// <summary>
    /// The network interface that decides which node runs the event loops, or <see cref="AutoNetworkDevice"/> (in any case of
    /// letters) for the nodes of all interfaces. <see langword="null"/>, the default: every node runs loops.
    /// </summary>
    public string? NetworkDevice { get; init; }

    // Null is wrong, and left for the check of the request to report.
    private static IReadOnlyList<NumaNodeId> CopyOf(IReadOnlyList<NumaNodeId>? nodes) => nodes is null ? null! : [.. nodes];

    private static bool AreEqual(IReadOnlyList<NumaNodeId>? one, IReadOnlyList<NumaNodeId>? other) =>
        one == other || (one is not null && other is not null && one.SequenceEqual(other));
}

/// <summary>Values by node, which never change; equal to others with the same values.</summary>
internal sealed class NodeValues<T>(IEnumerable<KeyValuePair<NumaNodeId, T>> values, Func<T, T, bool> areEqual)
    : ReadOnlyDictionary<NumaNodeId, T>(new Dictionary<NumaNodeId, T>(values)), IEquatable<NodeValues<T>>
{
    private readonly Func<T, T, bool> _areEqual = areEqual;

    public bool Equals(NodeValues<T>? other) =>
        other is not null
        && Count == other.Count
        && this.All(pair => other.TryGetValue(pair.Key, out var value) && _areEqual(pair.Value, value));

    public override bool Equals(object? obj) => Equals(obj as NodeValues<T>);

    public override int GetHashCode() => Keys.Aggregate(Count, static (hash, node) => hash ^ node.GetHashCode());
}

/// <summary>The nodes that the memory of a node's pools comes from.</summary>
public enum NumaMemoryPolicy
{
    /// <summary>From the node itself; for a node without memory from the nearest that has memory.</summary>
    Local,

    /// <summary>From all nodes in turn, page by page.</summary>
    Interleave,

    /// <summary>
    /// From all nodes in turn, in proportion to <see cref="NumaPlanRequest.Weights"/> or, without any, to the bandwidth that
    /// firmware reports.
    /// </summary>
    WeightedInterleave,

    /// <summary>From one node until it is full, then from the next: the same order for the pools of every node.</summary>
    Saturate,

    /// <summary>From the nodes that <see cref="NumaPlanRequest.Map"/> names for each node.</summary>
    Custom,
}

/// <summary>How strictly memory is bound to a node.</summary>
public enum NumaBindMode
{
    /// <summary>No binding: pages come from the node of the thread that touches them first.</summary>
    None,

    /// <summary>
    /// Preferred node; where the system refuses, memory is first touched by a thread pinned to the node, and this is reported
    /// once.
    /// </summary>
    Advisory,

    /// <summary>Bound, or an exception.</summary>
    Strict,
}

/// <summary>
/// How many CPUs a thread gets on its node. CPUs that the kernel does not balance are always assigned one by one.
/// </summary>
public enum NumaAffinityGranularity
{
    /// <summary>
    /// <see cref="Cache"/> on a node with several last-level caches of four or more of its CPUs, such as the CCXs of an EPYC, if
    /// three quarters of its CPUs at least are in those (threads for the others get all of the node's); <see cref="Node"/> on
    /// others.
    /// </summary>
    Auto,

    /// <summary>All CPUs of the node that the plan uses.</summary>
    Node,

    /// <summary>The CPUs of one last-level cache; the caches of a node are filled evenly.</summary>
    Cache,

    /// <summary>One physical core.</summary>
    Core,

    /// <summary>One CPU; siblings of a core only when there are more threads than cores.</summary>
    Cpu,
}

/// <summary>Why a request cannot be planned on a machine.</summary>
public sealed class NumaPlanProblem
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="setting"><see cref="Setting"/></param>
    /// <param name="value"><see cref="Value"/></param>
    /// <param name="message"><see cref="Message"/></param>
    internal NumaPlanProblem(string setting, string value, string message)
    {
        Setting = setting;
        Value = value;
        Message = message;
    }

    /// <summary>
    /// The property of <see cref="NumaPlanRequest"/>; for an entry of a dictionary with its key, such as <c>Map:1</c>.
    /// </summary>
    public string Setting { get; }

    /// <summary>Its value, as text.</summary>
    public string Value { get; }

    /// <summary>What is wrong with it here, and what is allowed.</summary>
    public string Message { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Setting} = '{Value}': {Message}";
}
