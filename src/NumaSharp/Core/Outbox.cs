using System.Diagnostics;
using NumaSharp.Interop;

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

    // What a call posts itself, before those that wait already have their turn.
    private const int NestedInARow = 64;

    /// <summary>How long whatever stops waits for calls that it has posted.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private const string ThreadName = "numa-outbox";

    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly object _gate = new();
    private readonly Queue<Action> _waiting = [];
    private readonly Queue<Action> _nested = [];
    private Thread? _thread;
    private long? _failedToStart;
    private long _posted;
    private long _done;
    private long _dropped;

    /// <summary>The process's own: one thread, however many hosts there are.</summary>
    public static Outbox Instance { get; } = new();

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
    /// Has a call made, soon, and never by the caller: it may hold locks, also where it is itself a call of the outbox's. What
    /// the call throws goes to <see cref="Trace"/>.
    /// </summary>
    /// <returns>False: it was dropped.</returns>
    public bool Post(Action call)
    {
        if (Thread.CurrentThread == Volatile.Read(ref _thread))
        {
            return PostNested(call);
        }

        lock (_gate)
        {
            return PostLocked(call);
        }
    }

    /// <summary>How many calls were dropped since this was last asked, because those before them did not return.</summary>
    public long TakeDropped() => Volatile.Read(ref _dropped) == 0 ? 0 : Interlocked.Exchange(ref _dropped, 0);

    /// <summary>
    /// Waits until every call that was posted before has returned, and what those have posted. On the outbox's own thread it
    /// does not wait.
    /// </summary>
    /// <returns>False: that has taken longer than the limit.</returns>
    public bool Flush(TimeSpan limit)
    {
        var end = Deadline.In(limit);
        lock (_gate)
        {
            if (Thread.CurrentThread == _thread)
            {
                return true;
            }

            var upTo = _posted;
            while (_done < upTo)
            {
                var left = end.Left;
                if (left == TimeSpan.Zero)
                {
                    return false;
                }

                EnsureThread();
                Monitor.Wait(_gate, left < s_retry ? left : s_retry);
            }

            return true;
        }
    }

    private bool PostLocked(Action call)
    {
        if (_waiting.Count >= Capacity)
        {
            Interlocked.Increment(ref _dropped);
            return false;
        }

        _waiting.Enqueue(call);
        _posted++;
        EnsureThread();
        Monitor.PulseAll(_gate);
        return true;
    }

    // Touched by the outbox's thread alone. It counts as a part of the call that posts it.
    private bool PostNested(Action call)
    {
        if (_nested.Count >= Capacity)
        {
            Interlocked.Increment(ref _dropped);
            return false;
        }

        _nested.Enqueue(call);
        return true;
    }

    // Nothing of the application's runs here: not even a trace listener.
    private void EnsureThread()
    {
        if (_thread is not null || (_failedToStart is { } at && Stopwatch.GetElapsedTime(at) < s_retry))
        {
            return;
        }

        var thread = new Thread(Run) { IsBackground = true, Name = ThreadName };
        try
        {
            SystemThread.Start(thread);
            Volatile.Write(ref _thread, thread);
        }
        catch (OutOfMemoryException)
        {
            // Out of memory or descriptors. The calls wait; a later post tries again.
            _failedToStart = Stopwatch.GetTimestamp();
        }
    }

    private void Run()
    {
        while (true)
        {
            Call(Take());
            for (var i = 0; i < NestedInARow && _nested.TryDequeue(out var nested); i++)
            {
                Call(nested);
            }

            lock (_gate)
            {
                while (_nested.TryDequeue(out var nested))
                {
                    PostLocked(nested);
                }

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
            TryTrace(exception);
        }

        BorrowedThread.Reset(Thread.CurrentThread, ThreadName);
    }

    private static void TryTrace(Exception thrown)
    {
        try
        {
            Trace.TraceWarning($"A logger or handler that NumaSharp called threw: {thrown}");
        }
        catch (Exception)
        {
            // Listeners of Trace, and the exception's own text, are the application's, too: a full disk may fail both logger
            // and listener. No one is left to tell, and later messages must still be delivered.
        }
    }
}
