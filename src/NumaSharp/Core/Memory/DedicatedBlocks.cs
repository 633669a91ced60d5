using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// The rented blocks of a pool that have mappings of their own, by address. It does not keep their owners alive. Thread-safe.
/// </summary>
internal sealed class DedicatedBlocks
{
    // Handles are freed and read under the lock: the runtime may have reused a freed one already.
    private readonly Lock _lock = new();
    private readonly Dictionary<nint, (GCHandle Owner, int Length)> _rented = [];

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _rented.Count;
            }
        }
    }

    public void Add(NumaMemoryBlock block)
    {
        lock (_lock)
        {
            _rented.Add(block.Address, (GCHandle.Alloc(block, GCHandleType.WeakTrackResurrection), block.Length));
        }
    }

    /// <summary>To be called before the memory is released: the next mapping may have the same address.</summary>
    public void Remove(nint address)
    {
        lock (_lock)
        {
            if (_rented.Remove(address, out var rented))
            {
                rented.Owner.Free();
            }
        }
    }

    /// <summary>The blocks with owners that the collector has taken. They stay until they are removed.</summary>
    public List<(nint Address, int Length)> FindAbandoned()
    {
        lock (_lock)
        {
            return
            [
                .. _rented.Where(static rented => rented.Value.Owner.Target is null)
                    .Select(static rented => (rented.Key, rented.Value.Length)),
            ];
        }
    }
}
