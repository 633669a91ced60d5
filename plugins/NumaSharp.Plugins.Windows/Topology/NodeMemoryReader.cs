using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>
/// The memory of each node. Windows tells how much is available on a node and how much the whole machine has, but not how
/// much a node has: with several nodes, what is available stands for both.
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

        // Memory is somewhere: as good a guess as any that it is with the CPUs.
        foreach (var (id, cpus) in nodes)
        {
            sizes[id] = new NodeMemorySize(!cpus.IsEmpty, 0, 0);
        }

        if (sizes.Values.Count(static size => size.HasMemory) > 1)
        {
            warnings.Add("Windows does not tell how much memory is available on a node: nodes with CPUs are taken to have some.");
        }

        return ReadWhole(nodes, sizes);
    }

    private NodeMemorySize ReadNode(int id) =>
        id <= ushort.MaxValue
        && calls.GetNumaAvailableMemoryNodeEx((ushort)id, out var bytes) == Win32Error.ERROR_SUCCESS
        && bytes > 0
            ? new NodeMemorySize(true, ToInt64(bytes), ToInt64(bytes))
            : default;

    // The only node with memory has the machine's.
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
