namespace NumaSharp.Core.Memory;

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
