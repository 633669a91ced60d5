namespace NumaSharp.Core;

/// <content>The node that pages come from, when it changes.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>Takes new pages from another node. Blocks, rented or free, stay valid and where they are.</summary>
    internal void MoveTo(int memoryNodeId, CpuSet? firstTouchCpus)
    {
        lock (_lock)
        {
            if (!_memory.MoveTo(memoryNodeId, firstTouchCpus) || _gate != 0)
            {
                return;
            }

            foreach (var slab in _classes.SelectMany(static size => size.Slabs))
            {
                _memory.Rebind(slab.Address, slab.Size);
            }
        }
    }
}
