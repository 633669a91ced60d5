using System.Diagnostics;

namespace NumaSharp.Core;

/// <summary>
/// Calls what an application has hung in (loggers, handlers of fallbacks, callbacks of loops) on a thread of its own, one call
/// after the other. Event loops, the watchdog, timers, accepting and whatever holds a lock hand the call over and continue: a
/// logger that blocks for seconds delays the messages after its own, and nothing else. Thread-safe.
/// </summary>
internal sealed class Outbox
{
    /// <summary>Calls beyond so many that wait are dropped, and counted.</summary>
    internal const int Capacity = 4096;

    /// <summary>How long whatever stops waits for calls that it has posted.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly object _gate = new();
    private readonly Queue<Action> _waiting = [];
    private Thread? _thread;
    private long _posted;
    private long _done;
    private long _dropped;

    /// <summary>The process's own: one thread, however many hosts there are.</summary>
    public static Outbox Instance { get; } = new();

    /// <summary>How many calls were dropped because those before them did not return.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>
    /// Starts the thread, unless it runs already. A thread takes descriptors: what will have to tell that there are none left
    /// starts it while there are.
    /// </summary>
    public void Start()
    {
        lock (_gate)
        {
            EnsureThread();
        }
    }

    /// <summary>
    /// Has a call made: soon, or at once by a call that the outbox is making. What it throws goes to <see cref="Trace"/>.
    /// </summary>
    /// <returns>False: it was dropped.</returns>
    public bool Post(Action call)
    {
        if (Thread.CurrentThread == Volatile.Read(ref _thread))
        {
            Call(call);
            return true;
        }

        lock (_gate)
        {
            if (_waiting.Count >= Capacity)
            {
                _dropped++;
                return false;
            }

            _waiting.Enqueue(call);
            _posted++;
            EnsureThread();
            Monitor.PulseAll(_gate);
            return true;
        }
    }

    /// <summary>
    /// Waits until every call that was posted before has returned. On the outbox's own thread it does not wait.
    /// </summary>
    /// <returns>False: that has taken longer than the limit.</returns>
    public bool Flush(TimeSpan limit)
    {
        var start = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            if (Thread.CurrentThread == _thread)
            {
                return true;
            }

            var upTo = _posted;
            while (_done < upTo)
            {
                var left = limit - Stopwatch.GetElapsedTime(start);
                if (left <= TimeSpan.Zero)
                {
                    return false;
                }

                Monitor.Wait(_gate, left);
            }

            return true;
        }
    }

    private void EnsureThread()
    {
        if (_thread is not null)
        {
            return;
        }

        var thread = new Thread(Run) { IsBackground = true, Name = "numa-outbox" };
        try
        {
            thread.UnsafeStart();
            _thread = thread;
        }
        catch (Exception exception) when (exception is ThreadStartException or OutOfMemoryException)
        {
            // Out of memory or descriptors. The calls wait; the next post tries again.
            Trace.TraceWarning($"NumaSharp could not start its thread for log messages: {exception.Message}");
        }
    }

    private void Run()
    {
        while (true)
        {
            Call(Take());
            lock (_gate)
            {
                _done++;
                Monitor.PulseAll(_gate);
            }
        }
    }

    private Action Take()
    {
        lock (_gate)
        {
            while (_waiting.Count == 0)
            {
                Monitor.Wait(_gate);
            }

            return _waiting.Dequeue();
        }
    }

    private static void Call(Action call)
    {
        try
        {
            call();
        }
        catch (Exception exception)
        {
            // An application's mistake, which has no caller here that could be told.
            Trace.TraceWarning($"A logger or handler that NumaSharp called threw: {exception}");
        }
    }
}
