using System.Diagnostics;
using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>
/// Calls application code (loggers, handlers of fallbacks, callbacks of loops) on a thread of its own, one call after the other.
/// Event loops, the watchdog, timers, accepting and lock holders queue the call and continue: a logger that blocks for seconds
/// delays the messages after its own, and nothing else. Thread-safe.
/// </summary>
internal sealed class Outbox
{
    /// <summary>Calls beyond this many queued ones are dropped, and counted.</summary>
    internal const int Capacity = 4096;

    // How many calls posted by a call itself run before those that wait already.
    private const int NestedInARow = 64;

    /// <summary>How long a component that stops waits for calls that it has posted.</summary>
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

    /// <summary>The process's instance: one thread, however many hosts there are.</summary>
    public static Outbox Instance { get; } = new();

    /// <summary>
    /// Starts the thread, unless it runs already. A thread takes descriptors: a component that may have to report that there are
    /// none left starts it while there are.
    /// </summary>
    public void Start()
    {
        lock (_gate)
        {
            EnsureThread();
        }
    }

    /// <summary>
    /// Queues a call, which runs soon, and never on the caller's stack: the caller may hold locks, even where it is itself a call
    /// of the outbox. Exceptions of the call go to <see cref="Trace"/>.
    /// </summary>
    /// <returns>False if it was dropped.</returns>
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

    /// <summary>How many calls were dropped since the last query, because those before them did not return.</summary>
    public long TakeDropped() => Volatile.Read(ref _dropped) == 0 ? 0 : Interlocked.Exchange(ref _dropped, 0);

    /// <summary>
    /// Waits until every call that was posted before has returned, and the calls that those have posted. On the outbox's own
    /// thread it does not wait.
    /// </summary>
    /// <returns>False if that took longer than the limit.</returns>
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

    // Used by the outbox's thread alone. A nested call counts as a part of the call that posts it.
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

    // No application code runs here: not even a trace listener.
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
            // An application error, without a caller to report it to.
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
            // Trace listeners, and the exception's own text, are application code, too: a full disk may fail both logger and
            // listener. It cannot be reported, and later messages must still be delivered.
        }
    }
}
