using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// A lock-free stack of magazines (R. K. Treiber, 1986). The head is a number and a tag that every change makes another one,
/// so that a head which comes back while somebody looks at it (the ABA problem) is seen. Thread-safe.
/// </summary>
internal sealed class MagazineStack
{
    private const int TagShift = 32;

    private readonly MagazineStore _store;
    private Head _head;

    public MagazineStack(MagazineStore store) => _store = store;

    public bool IsEmpty => (uint)Volatile.Read(ref _head.Value) == 0;

    public void Push(uint magazine, int count)
    {
        ref var link = ref _store.LinkOf(magazine);
        link.Count = count;
        var seen = Volatile.Read(ref _head.Value);
        while (true)
        {
            Volatile.Write(ref link.Next, (uint)seen);
            var found = Interlocked.CompareExchange(ref _head.Value, Next(seen, magazine), seen);
            if (found == seen)
            {
                return;
            }

            seen = found;
        }
    }

    /// <summary>Takes the magazine that was pushed last; 0 when there is none.</summary>
    public uint Pop()
    {
        var seen = Volatile.Read(ref _head.Value);
        while ((uint)seen != 0)
        {
            // Magazines are never unmapped while the allocator lives: what another thread pops meanwhile can still be read.
            var found = Interlocked.CompareExchange(ref _head.Value, Next(seen, _store.LinkOf((uint)seen).Next), seen);
            if (found == seen)
            {
                return (uint)seen;
            }

            seen = found;
        }

        return 0;
    }

    private static long Next(long head, uint magazine) => (long)((((ulong)head >> TagShift) + 1) << TagShift) | magazine;

    // On cache lines of its own: the heads of other sizes are other threads' business. Two lines, as the prefetcher of many
    // machines fetches pairs.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Head
    {
        [FieldOffset(128)]
        public long Value;
    }
}
