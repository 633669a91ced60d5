using System.Runtime.ExceptionServices;

namespace NumaSharp.Core;

/// <summary>
/// Carries out requests of which only the last one matters, one at a time and in order, with no lock held: they may call
/// application code, which may wait for another thread with a request of its own. Thread-safe.
/// </summary>
internal sealed class LastRequest
{
    // Guards the fields. No request runs under it.
    private readonly object _gate = new();
    private Action? _next;
    private Thread? _runner;

    /// <summary>
    /// Carries a request out. If another one is in progress, on any thread, that thread carries this one out next, unless a later
    /// one replaces it, and this returns at once. What requests throw is thrown when the last of them has ended: the first of it.
    /// </summary>
    public void Run(Action request)
    {
        lock (_gate)
        {
            _next = request;
            if (_runner is not null)
            {
                return;
            }

            _runner = Thread.CurrentThread;
        }

        ExceptionDispatchInfo? failure = null;
        while (TakeNext() is { } next)
        {
            try
            {
                next();
            }
            catch (Exception exception)
            {
                // Another thread's request must not be lost with this one.
                failure ??= ExceptionDispatchInfo.Capture(exception);
            }
        }

        failure?.Throw();
    }

    /// <summary>Waits until no request is in progress; not for one of the calling thread's own.</summary>
    /// <returns>False if that took longer than the limit.</returns>
    public bool WaitUntilIdle(TimeSpan limit)
    {
        var end = Deadline.In(limit);
        lock (_gate)
        {
            while (_runner is not null && _runner != Thread.CurrentThread)
            {
                var left = end.Left;
                if (left == TimeSpan.Zero || !Monitor.Wait(_gate, left))
                {
                    return false;
                }
            }

            return true;
        }
    }

    private Action? TakeNext()
    {
        // An interruption must not leave the runner in place when its thread has gone: all later requests would wait for it.
        Action? next = null;
        Interruption.Outlast(() => next = TakeNextLocked());
        return next;
    }

    private Action? TakeNextLocked()
    {
        lock (_gate)
        {
            var next = _next;
            _next = null;
            if (next is null)
            {
                _runner = null;
                Monitor.PulseAll(_gate);
            }

            return next;
        }
    }
}
