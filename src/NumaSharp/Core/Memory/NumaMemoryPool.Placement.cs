using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>The nodes that pages come from, when they change.</content>
public sealed partial class NumaMemoryPool
{
    /// <summary>Takes new pages from elsewhere. Blocks, rented or free, stay valid and where they are.</summary>
    internal void MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        if (!_memory.MoveTo(source, firstTouchCpus))
        {
            return;
        }

        foreach (var size in _classes)
        {
            // A slab that is on its way has been bound to the former place.
            lock (size.Growing)
            {
                Rebind(size);
            }
        }
    }

    private void Rebind(PoolSizeClass size)
    {
        lock (_lock)
        {
            foreach (var slab in _gate == 0 ? size.Slabs : [])
            {
                _memory.Rebind(slab.Address, slab.Size);
            }
        }
    }
}
