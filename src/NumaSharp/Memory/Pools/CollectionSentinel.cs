using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Notifies a pool of each collection of the oldest generation, and of the first two younger ones, for as long as the pool wants
/// that. Nothing refers to a sentinel, so each collection finds it; it does not keep the pool alive.
/// </summary>
internal sealed class CollectionSentinel
{
    // No WeakReference: it has a finalizer itself, which may run before this one.
    private GCHandle _pool;

    private CollectionSentinel(NumaMemoryPool pool) => _pool = GCHandle.Alloc(pool, GCHandleType.Weak);

    ~CollectionSentinel()
    {
        if (_pool.IsAllocated && _pool.Target is NumaMemoryPool pool && pool.OnCollected())
        {
            GC.ReRegisterForFinalize(this);
        }
        else if (_pool.IsAllocated)
        {
            _pool.Free();
        }
    }

    public static void Watch(NumaMemoryPool pool) => GC.KeepAlive(new CollectionSentinel(pool));
}
