namespace NumaSharp.Core.Memory;

/// <summary>
/// Small ids of the process's pools or allocators, so that a thread finds what it keeps of one by an array index.
/// </summary>
internal sealed class SmallNumbers
{
    private readonly Lock _lock = new();
    private readonly PriorityQueue<int, int> _free = new();
    private int _next;

    public int Take()
    {
        lock (_lock)
        {
            return _free.TryDequeue(out var id, out _) ? id : _next++;
        }
    }

    public void Return(int id)
    {
        lock (_lock)
        {
            _free.Enqueue(id, id);
        }
    }
}
