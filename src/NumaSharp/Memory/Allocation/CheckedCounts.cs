namespace NumaSharp.Core.Memory.Allocation;

/// <summary>Per node, the blocks that users of the checked mode have: waiting blocks and margins do not count.</summary>
internal sealed class CheckedCounts
{
    private readonly Dictionary<int, NumaAllocatorStatistics> _nodes = [];

    public void Add(CheckedBlock block) => Change(block, 1, 0);

    public void Remove(CheckedBlock block, bool isRemote) => Change(block, -1, isRemote ? 1 : 0);

    public NumaAllocatorStatistics Correct(int nodeIndex, NumaAllocatorStatistics statistics)
    {
        var counts = _nodes.GetValueOrDefault(nodeIndex);
        return statistics with
        {
            AllocatedBytes = counts.AllocatedBytes,
            AllocatedBlocks = counts.AllocatedBlocks,
            RemoteFrees = counts.RemoteFrees,
        };
    }

    private void Change(CheckedBlock block, int blocks, int remoteFrees)
    {
        var counts = _nodes.GetValueOrDefault(block.NodeIndex);
        _nodes[block.NodeIndex] = counts with
        {
            AllocatedBytes = counts.AllocatedBytes + (blocks * (long)block.Size),
            AllocatedBlocks = counts.AllocatedBlocks + blocks,
            RemoteFrees = counts.RemoteFrees + remoteFrees,
        };
    }
}
