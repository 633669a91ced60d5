namespace NumaSharp.Core.Memory;

/// <summary>Small numbers for the pools of the process, so that a thread finds its cache by an array index.</summary>
internal static class PoolIds
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

    public static void Return(int id)
    {
        lock (s_lock)
        {
            s_free.Enqueue(id, id);
        }
    }
}
