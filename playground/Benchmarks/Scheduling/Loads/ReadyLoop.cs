using System.Collections.Concurrent;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>
/// The thread of an event loop: handles what is ready, and sleeps when nothing is, as in epoll_wait(2). To make something
/// ready while it sleeps costs a wake-up, as a packet does.
/// </summary>
internal sealed class ReadyLoop<T> : IDisposable
    where T : class
{
    private readonly ConcurrentQueue<T> _ready = new();
    private readonly object _gate = new();
    private readonly Thread _thread;
    private int _isAsleep;
    private volatile bool _isStopped;

    public ReadyLoop(Action<T> handle)
    {
        _thread = new Thread(() => Run(handle)) { IsBackground = true, Name = "loop" };
        _thread.Start();
    }

    public void Post(T connection)
    {
        _ready.Enqueue(connection);
        Wake();
    }

    public void Dispose()
    {
        _isStopped = true;
        Wake();
        _thread.Join();
    }

    private void Run(Action<T> handle)
    {
        while (!_isStopped)
        {
            while (_ready.TryDequeue(out var connection))
            {
                handle(connection);
            }

            // Announced before the last check: a posting thread checks after it has posted.
            Interlocked.Exchange(ref _isAsleep, 1);
            if (_ready.IsEmpty && !_isStopped)
            {
                Sleep();
            }

            Volatile.Write(ref _isAsleep, 0);
        }
    }

    private void Sleep()
    {
        lock (_gate)
        {
            while (Volatile.Read(ref _isAsleep) != 0)
            {
                Monitor.Wait(_gate);
            }
        }
    }

    private void Wake()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isAsleep) != 0 && Interlocked.Exchange(ref _isAsleep, 0) != 0)
        {
            lock (_gate)
            {
                Monitor.Pulse(_gate);
            }
        }
    }
}
