using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>
/// The CPUs of each node, including nodes without CPUs: from the records, and from GetNumaNodeProcessorMask2 or, before Windows
/// Server 2022, GetNumaNodeProcessorMaskEx.
/// </summary>
internal sealed class NodeCpus(IProcessorCalls calls, ProcessorInformation processors, List<string> warnings)
{
    private const int MaxNodes = 1024;

    /// <summary>Every active CPU is in exactly one set. There is at least one node.</summary>
    public SortedDictionary<int, CpuSet> Read()
    {
        var nodes = new SortedDictionary<int, CpuSet>();
        var seen = CpuSet.Empty;
        foreach (var id in ReadIds())
        {
            var listed = processors.Nodes.GetValueOrDefault(id, CpuSet.Empty);
            var cpus = listed.Union(Ask(id) ?? CpuSet.Empty).Intersect(processors.ActiveCpus);
            if (cpus.Overlaps(seen))
            {
                warnings.Add($"CPUs {cpus.Intersect(seen)} are on node {id} and on an earlier one, which keeps them.");
                cpus = cpus.Except(seen);
            }

            nodes.Add(id, cpus);
            seen = seen.Union(cpus);
        }

        AddOthers(nodes, processors.ActiveCpus.Except(seen));
        return nodes;
    }

    private SortedSet<int> ReadIds()
    {
        var ids = new SortedSet<int>(processors.Nodes.Keys);
        if (calls.GetNumaHighestNodeNumber(out var highest) == Win32Error.ERROR_SUCCESS)
        {
            ids.UnionWith(Enumerable.Range(0, (int)Math.Min(highest, MaxNodes - 1) + 1));
        }

        if (ids.Count > MaxNodes)
        {
            throw new NumaException($"Windows reports {ids.Count} nodes; at most {MaxNodes} are supported.");
        }

        return ids;
    }

    private CpuSet? Ask(int id)
    {
        if (id > ushort.MaxValue)
        {
            return null;
        }

        var node = (ushort)id;
        var error = GroupMasks.Read(
            (Span<GroupAffinity> masks, out ushort count) => calls.GetNumaNodeProcessorMask2(node, masks, out count),
            out var masks);
        if (error == Win32Error.ERROR_SUCCESS)
        {
            return CpuNumbers.SetOf(masks);
        }

        return error == Win32Error.ERROR_PROC_NOT_FOUND
            && calls.GetNumaNodeProcessorMaskEx(node, out var mask) == Win32Error.ERROR_SUCCESS
                ? CpuNumbers.SetOf(mask)
                : null;
    }

    private void AddOthers(SortedDictionary<int, CpuSet> nodes, CpuSet others)
    {
        if (others.IsEmpty)
        {
            return;
        }

        var home = nodes.FirstOrDefault(static node => !node.Value.IsEmpty).Key;
        warnings.Add($"CPUs {others} are on no node; they count as on node {home}.");
        nodes[home] = nodes.GetValueOrDefault(home, CpuSet.Empty).Union(others);
    }
}
