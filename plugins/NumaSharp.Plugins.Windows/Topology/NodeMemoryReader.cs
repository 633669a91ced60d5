using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>
/// The memory of each node. Windows reports the available memory of a node and the total of the machine, but not the total of a
/// node: with several nodes, the available memory is used for both.
/// </summary>
internal sealed class NodeMemoryReader(IProcessorCalls calls, List<string> warnings)
{
    public Dictionary<int, NodeMemorySize> Read(SortedDictionary<int, CpuSet> nodes)
    {
        var sizes = nodes.Keys.ToDictionary(static id => id, ReadNode);
        if (sizes.Values.Any(static size => size.HasMemory))
        {
            return ReadWhole(nodes, sizes);
        }

        // Assume that memory is where the CPUs are: as good a guess as any.
        foreach (var (id, cpus) in nodes)
        {
            sizes[id] = new NodeMemorySize(!cpus.IsEmpty, 0, 0);
        }

        if (sizes.Values.Count(static size => size.HasMemory) > 1)
        {
            warnings.Add("The memory available on each node is unknown: nodes with CPUs are assumed to have some.");
        }

        return ReadWhole(nodes, sizes);
    }

    private NodeMemorySize ReadNode(int id) =>
        id <= ushort.MaxValue
        && calls.GetNumaAvailableMemoryNodeEx((ushort)id, out var bytes) == Win32Error.ERROR_SUCCESS
        && bytes > 0
            ? new NodeMemorySize(true, ToInt64(bytes), ToInt64(bytes))
            : default;

    // The only node with memory has all of the machine's.
    private Dictionary<int, NodeMemorySize> ReadWhole(
        SortedDictionary<int, CpuSet> nodes, Dictionary<int, NodeMemorySize> sizes)
    {
        var withMemory = nodes.Keys.Where(id => sizes[id].HasMemory).ToArray();
        if (withMemory is [var only] && calls.GlobalMemoryStatusEx(out var status) == Win32Error.ERROR_SUCCESS)
        {
            sizes[only] = new NodeMemorySize(true, ToInt64(status.TotalPhysical), ToInt64(status.AvailablePhysical));
        }

        return sizes;
    }

    private static long ToInt64(ulong bytes) => (long)Math.Min(bytes, long.MaxValue);
}

/// <summary>A node's memory.</summary>
/// <param name="HasMemory">Whether it has any.</param>
/// <param name="TotalBytes">Its total, as far as Windows reports it.</param>
/// <param name="FreeBytes">The currently available part.</param>
internal readonly record struct NodeMemorySize(bool HasMemory, long TotalBytes, long FreeBytes);
