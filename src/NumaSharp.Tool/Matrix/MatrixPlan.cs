using System.Collections.Immutable;
using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>The rows, columns and buffer of a measurement: a pure function of machine and request.</summary>
/// <param name="Rows">The CPUs, by node and number.</param>
/// <param name="Columns">The nodes with memory, by number.</param>
/// <param name="SizeBytes">The buffer on each node.</param>
internal sealed record MatrixPlan(ImmutableArray<MatrixRow> Rows, ImmutableArray<NumaNode> Columns, long SizeBytes)
{
    public const long MinSizeBytes = 1024 * 1024;
    public const long MaxSizeBytes = 64L * 1024 * 1024 * 1024;

    private const long MiB = 1024 * 1024;
    private const int CacheTimes = 4;
    private const long DefaultSizeBytes = 256 * MiB;
    private const long LargestDefaultBytes = 2048 * MiB;
    private const long SmallestDefaultBytes = 64 * MiB;

    /// <summary>Plans a measurement.</summary>
    /// <exception cref="NumaException">The request does not fit the machine.</exception>
    public static MatrixPlan Create(NumaTopology topology, MatrixRequest request)
    {
        if (request.Cpus is { } cpus && !cpus.IsSubsetOf(topology.AllowedCpus))
        {
            throw new NumaException(
                $"--cpus '{cpus}': {cpus.Except(topology.AllowedCpus)} cannot be used; allowed are {topology.AllowedCpus}.");
        }

        ImmutableArray<NumaNode> columns = [.. topology.Nodes.Where(node => topology.MemoryNodes.Contains(node.NodeId))];
        if (columns.IsEmpty)
        {
            throw new NumaException("No node of this machine has memory that this process may use.");
        }

        return new MatrixPlan(
            [
                .. topology.Nodes.SelectMany(node =>
                    ChooseCpus(topology, node, request).Select(cpu => new MatrixRow(cpu, node.Id))),
            ],
            columns,
            request.SizeBytes ?? DefaultSize(topology, columns));
    }

    private static IEnumerable<int> ChooseCpus(NumaTopology topology, NumaNode node, MatrixRequest request)
    {
        if (request.Cpus is { } cpus)
        {
            return node.Cpus.Intersect(cpus);
        }

        return request.Granularity switch
        {
            MatrixGranularity.Cpu => node.Cpus,
            MatrixGranularity.Cache => node.Cpus.DistinctBy(cpu => topology.FindLastLevelCache(cpu)),
            _ => node.Cpus.Take(1),
        };
    }

    // Several times the size of any cache, so that nearly every line comes from memory; less on small nodes, if the caches allow
    // it.
    private static long DefaultSize(NumaTopology topology, ImmutableArray<NumaNode> columns)
    {
        var cache = topology.LastLevelCaches.Select(static cache => cache.SizeBytes).DefaultIfEmpty().Max();
        var wanted = Math.Clamp(CacheTimes * cache, DefaultSizeBytes, LargestDefaultBytes);
        var smallest = columns.Select(static node => node.MemoryFreeBytes).Where(static bytes => bytes > 0)
            .DefaultIfEmpty(long.MaxValue).Min();
        return Math.Min(wanted, Math.Max(smallest / 2, Math.Max(2 * cache, SmallestDefaultBytes))) / (2 * MiB) * (2 * MiB);
    }
}

/// <summary>What to measure.</summary>
internal sealed record MatrixRequest
{
    public MatrixGranularity Granularity { get; init; } = MatrixGranularity.Node;

    /// <summary>The CPUs to measure from; <see langword="null"/> for those of the granularity.</summary>
    public CpuSet? Cpus { get; init; }

    /// <summary>The buffer in bytes; <see langword="null"/> for several times the last-level cache.</summary>
    public long? SizeBytes { get; init; }

    /// <summary>How often a cell is measured; its figures are medians.</summary>
    public int Repeat { get; init; } = 3;

    /// <summary>The time after which no further cell is started.</summary>
    public TimeSpan TimeLimit { get; init; } = TimeSpan.FromMinutes(1);
}

/// <summary>The CPUs that get a row.</summary>
internal enum MatrixGranularity
{
    /// <summary>One per node.</summary>
    Node,

    /// <summary>One per last-level cache; as <see cref="Node"/> if the caches are unknown.</summary>
    Cache,

    /// <summary>Every CPU.</summary>
    Cpu,
}

/// <summary>A CPU to measure from.</summary>
/// <param name="Cpu">The CPU.</param>
/// <param name="NodeId">Its node.</param>
internal readonly record struct MatrixRow(int Cpu, NumaNodeId NodeId);
