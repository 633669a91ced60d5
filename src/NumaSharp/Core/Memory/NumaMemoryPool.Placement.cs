using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>The nodes that pages come from, when they change.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>Takes new pages from elsewhere. Blocks, rented or free, stay valid and where they are.</summary>
    internal void MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        lock (_lock)
        {
            if (!_memory.MoveTo(source, firstTouchCpus) || _gate != 0)
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
