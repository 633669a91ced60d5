namespace NumaSharp.Core.Memory;

/// <summary>
/// What the calling thread keeps of each pool and allocator of the process: these have small ids, so that it is found by an array
/// index.
/// </summary>
internal static class ThreadSlots
{
    private static readonly Lock s_lock = new();
    private static readonly PriorityQueue<int, int> s_freeIds = new();
    private static int s_nextId;

    [ThreadStatic]
    private static object?[]? t_kept;

    /// <summary>By id. What belonged to an earlier owner of the id is still there.</summary>
    public static ReadOnlySpan<object?> OfThisThread => t_kept;

    public static int TakeId()
    {
        lock (s_lock)
        {
            return s_freeIds.TryDequeue(out var id, out _) ? id : s_nextId++;
        }
    }

    public static void ReturnId(int id)
    {
        lock (s_lock)
        {
            s_freeIds.Enqueue(id, id);
        }
    }

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
