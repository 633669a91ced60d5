using System.Runtime.CompilerServices;

namespace NumaSharp.Core.Memory;

/// <summary>
/// What the calling thread keeps of each pool and allocator of the process, found by an array index:
/// <see cref="ThreadSlotIds"/>. These are a class of their own: with static fields that must be initialized here, every rent of a
/// size or pool other than the last would check for that.
/// </summary>
internal static class ThreadSlots
{
    [ThreadStatic]
    private static object?[]? t_kept;

    /// <summary>By id. What belonged to an earlier owner of the id is still there.</summary>
    public static ReadOnlySpan<object?> OfThisThread => t_kept;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static object? Find(int id)
    {
        var kept = t_kept;
        return kept is not null && (uint)id < (uint)kept.Length ? kept[id] : null;
    }

    public static void Keep(int id, object kept)
    {
        var all = t_kept ?? [];
        if (id >= all.Length)
        {
            Array.Resize(ref all, Math.Max(id + 1, all.Length * 2));
        }

        all[id] = kept;
        t_kept = all;
    }
}

/// <summary>The small ids by which a thread finds what it keeps of a pool or an allocator: <see cref="ThreadSlots"/>.</summary>
internal static class ThreadSlotIds
{
    private static readonly Lock s_lock = new();
    private static readonly PriorityQueue<int, int> s_free = new();
    private static int s_next;

    public static int Take()
    {
        lock (s_lock)
        {
            return s_free.TryDequeue(out var id, out _) ? id : s_next++;
        }
    }

    /// <summary>Called in the middle of a disposal, which an interruption must not end.</summary>
    public static void Return(int id)
    {
        using (UninterruptedLock.Enter(s_lock))
        {
            s_free.Enqueue(id, id);
        }
    }
}
