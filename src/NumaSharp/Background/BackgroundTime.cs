using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>
/// The system's time, with timers for the library's own housekeeping: one thread runs all callbacks, one after the other, and
/// sleeps in between. On the thread pool a timer of a second costs an idle process 0.8 to 0.9 milliseconds of CPU time each
/// second, because its workers spin after every callback; here a callback costs one wake-up. A timer due in a second or more may
/// be up to 0.25 s early or 0.75 s late, so that several share one wake-up. Callbacks must be short and must not throw.
/// Thread-safe.
/// </summary>
/// <param name="now">Milliseconds; tests pass their own.</param>
/// <param name="threadName">The name of the thread.</param>
internal sealed class BackgroundTime(Func<long> now, string threadName = "numa-timer") : TimeProvider
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    // Guards the timers. No callback runs under it.
    private readonly Lock _lock = new();
    private readonly AutoResetEvent _changed = new(initialState: false);
    private readonly SortedSet<Timer> _armed = new(Comparer<Timer>.Create(CompareDue));
    private long _timers;
    private bool _isStarted;

    public static BackgroundTime Instance { get; } = new(static () => Environment.TickCount64);

    /// <summary>For trimming, which may release gigabytes in one call: pauses of accepting must not wait for that.</summary>
    public static BackgroundTime Trimming { get; } = new(static () => Environment.TickCount64, "numa-trim");

    /// <inheritdoc/>
    /// <exception cref="OutOfMemoryException">It is the first timer, and the system has no thread for it.</exception>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, Interlocked.Increment(ref _timers), () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>
    /// When a timer is due, in milliseconds: on whole seconds, as with the kernel's round_jiffies(). Late rather than early, but
    /// a timer re-armed for a whole number of seconds, a little after one, keeps its pace.
    /// </summary>
    internal static long DueAt(long now, TimeSpan wait)
    {
        var due = now + (long)Math.Ceiling(wait.TotalMilliseconds);
        return wait < s_second ? due : (due + 750) / 1000 * 1000;
    }

    private static int CompareDue(Timer one, Timer other)
    {
        var due = one.Due.CompareTo(other.Due);
        return due != 0 ? due : one.Number.CompareTo(other.Number);
    }

    private bool TryArm(Timer timer, TimeSpan dueTime, TimeSpan period)
    {
        lock (_lock)
        {
            if (timer.IsDisposed)
            {
                return false;
            }

            StartOnce();
            _armed.Remove(timer);
            timer.Period = period;
            if (dueTime >= TimeSpan.Zero)
            {
                timer.Due = DueAt(now(), dueTime);
                _armed.Add(timer);
            }
        }

        _changed.Set();
        return true;
    }

    private void Disarm(Timer timer)
    {
        lock (_lock)
        {
            timer.IsDisposed = true;
            _armed.Remove(timer);
        }
    }

    // Fails only for the first timer, where it is created: a timer that exists can always be set. The next one tries again.
    private void StartOnce()
    {
        if (!_isStarted)
        {
            SystemThread.Start(new Thread(Run) { IsBackground = true, Name = threadName });
            _isStarted = true;
        }
    }

    private void Run()
    {
        while (true)
        {
            if (TakeDue(out var wait) is { } due)
            {
                due.Callback();
            }
            else
            {
                _changed.WaitOne(wait);
            }
        }
    }

    private Timer? TakeDue(out int wait)
    {
        lock (_lock)
        {
            wait = Timeout.Infinite;
            if (_armed.Min is not { } first)
            {
                return null;
            }

            var time = now();
            if (first.Due > time)
            {
                wait = (int)Math.Min(first.Due - time, int.MaxValue);
                return null;
            }

            _armed.Remove(first);
            if (first.Period > TimeSpan.Zero)
            {
                first.Due = DueAt(time, first.Period);
                _armed.Add(first);
            }

            return first;
        }
    }

    /// <summary>The lock guards everything but the callback.</summary>
    private sealed class Timer(BackgroundTime owner, long number, Action callback) : ITimer
    {
        public long Number => number;

        public Action Callback => callback;

        /// <summary>In milliseconds since the system started. It is the sort key, so it changes only while not armed.</summary>
        public long Due { get; set; }

        public TimeSpan Period { get; set; }

        public bool IsDisposed { get; set; }

        public bool Change(TimeSpan dueTime, TimeSpan period) => owner.TryArm(this, dueTime, period);

        public void Dispose() => owner.Disarm(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
