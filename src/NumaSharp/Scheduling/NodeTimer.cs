namespace NumaSharp.Scheduling;

/// <summary>
/// A timer that queues its callback on a node, otherwise as <see cref="System.Threading.Timer"/>: callbacks may overlap, one
/// that has not started when the timer is disposed does not, and the clock keeps the timer alive while it is due.
/// </summary>
internal sealed class NodeTimer : ITimer
{
    private static readonly TimerCallback s_fire = static timer => ((NodeTimer)timer!).Fire();
    private static readonly Action<object?> s_run = static timer => ((NodeTimer)timer!).Run();

    private readonly Lock _lock = new();
    private readonly WorkerGroup _group;
    private readonly TimerCallback _callback;
    private readonly object? _state;
    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly ITimer _timer;
    private TaskCompletionSource? _ended;
    private int _running;
    private bool _isDisposed;

    public NodeTimer(
        WorkerGroup group, TimerCallback callback, object? state, TimeProvider clock, TimeSpan dueTime, TimeSpan period)
    {
        _group = group;
        _callback = callback;
        _state = state;

        // The clock's callback only queues; nothing of the caller's needs to be there.
        using var flow = ExecutionContext.SuppressFlow();
        _timer = clock.CreateTimer(s_fire, this, dueTime, period);
    }

    public bool Change(TimeSpan dueTime, TimeSpan period) => _timer.Change(dueTime, period);

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
        }

        _timer.Dispose();
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        lock (_lock)
        {
            if (_running == 0)
            {
                return default;
            }

            _ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return new ValueTask(_ended.Task);
        }
    }

    private void Fire() => _group.Scheduler.Continue(_group, new WorkItem(s_run, this), isFair: false);

    private void Run()
    {
        lock (_lock)
        {
            if (_isDisposed)
            {
                return;
            }

            _running++;
        }

        try
        {
            if (_context is not null)
            {
                // Whoever runs items sets its own context again after each.
                ExecutionContext.Restore(_context);
            }

            _callback(_state);
        }
        finally
        {
            NoteEnd();
        }
    }

    private void NoteEnd()
    {
        TaskCompletionSource? ended = null;
        lock (_lock)
        {
            if (--_running == 0)
            {
                ended = _ended;
            }
        }

        ended?.SetResult();
    }
}
