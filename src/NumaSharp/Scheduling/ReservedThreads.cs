using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// Threads that sleep while others are started. When the thread pool cannot start a thread that it needs, the runtime ends the
/// process. So when the system refuses one of the others, these end, and leave the pool room for as many.
/// </summary>
internal sealed class ReservedThreads : IDisposable
{
    public const int Count = 8;

    private readonly ManualResetEvent _end = new(false);
    private readonly List<Thread> _threads = [];

    private ReservedThreads()
    {
    }

    /// <exception cref="OutOfMemoryException">The system has fewer threads left; those that started have ended.</exception>
    public static ReservedThreads Start()
    {
        var reserved = new ReservedThreads();
        try
        {
            while (reserved._threads.Count < Count)
            {
                // With a stack like the pool's: where memory is short, smaller ones would leave no room for one.
                var thread = new Thread(() => reserved._end.WaitOne()) { IsBackground = true, Name = "numa-reserved" };
                SystemThread.Start(thread);
                reserved._threads.Add(thread);
            }

            return reserved;
        }
        catch
        {
            reserved.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        _end.Set();
        _threads.ForEach(static thread => Interruption.Outlast(thread.Join));
        _end.Dispose();
    }
}
