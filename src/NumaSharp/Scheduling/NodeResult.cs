using System.Threading.Tasks.Sources;

namespace NumaSharp.Scheduling;

/// <summary>
/// A result for which an <c>await</c> goes on on a node, also when it is there already: to all others it is pending until they
/// have asked to be called. Used again for the next result of the same reader.
/// </summary>
internal sealed class NodeResult<T> : IValueTaskSource<T>
{
    private static readonly SendOrPostCallback s_invoke = static result => ((NodeResult<T>)result!).Invoke();

    private readonly WorkerGroup _group;
    private readonly NodeResultSlot<T> _home;
    private readonly Action _invoke;
    private ValueTask<T> _result;
    private ExecutionContext? _context;
    private Action<object?>? _continuation;
    private object? _state;
    private bool _isDelivered;
    private short _version;

    public NodeResult(WorkerGroup group, NodeResultSlot<T> home)
    {
        _group = group;
        _home = home;
        _invoke = Invoke;
    }

    public ValueTask<T> Of(ValueTask<T> result)
    {
        _result = result;
        return new ValueTask<T>(this, _version);
    }

    public ValueTaskSourceStatus GetStatus(short token)
    {
        Check(token);
        if (!_result.IsCompleted || !(_isDelivered || Worker.Current?.Group == _group))
        {
            return ValueTaskSourceStatus.Pending;
        }

        return _result.IsCompletedSuccessfully ? ValueTaskSourceStatus.Succeeded
            : _result.IsCanceled ? ValueTaskSourceStatus.Canceled
            : ValueTaskSourceStatus.Faulted;
    }

    public T GetResult(short token)
    {
        Check(token);
        if (!_result.IsCompleted)
        {
            throw new InvalidOperationException("The result is not there yet: await it.");
        }

        var result = _result;
        _version++;
        (_result, _context, _continuation, _state, _isDelivered) = (default, null, null, null, false);
        _home.Return(this);
        return result.GetAwaiter().GetResult();
    }

    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        Check(token);
        if (_continuation is not null)
        {
            throw new InvalidOperationException("The result is awaited already; it can be once.");
        }

        (_continuation, _state) = (continuation, state);
        if ((flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0)
        {
            _context = ExecutionContext.Capture();
        }

        if ((flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != 0 && HasContext)
        {
            CallInContext();
        }
        else
        {
            CallOnNode();
        }
    }

    private static bool HasContext =>
        (SynchronizationContext.Current is { } context && context.GetType() != typeof(SynchronizationContext))
        || TaskScheduler.Current != TaskScheduler.Default;

    private void CallOnNode()
    {
        if (_result.IsCompleted)
        {
            _group.Scheduler.Continue(_group, WorkItem.Posted(s_invoke, this), isFair: false);
            return;
        }

        // Captured by the result's source: who completes it posts to the node at once.
        var callers = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(_group.Context);
        try
        {
            _result.GetAwaiter().UnsafeOnCompleted(_invoke);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(callers);
        }
    }

    private void CallInContext()
    {
        if (!_result.IsCompleted)
        {
            _result.GetAwaiter().UnsafeOnCompleted(_invoke);
        }
        else if (SynchronizationContext.Current is { } context && context.GetType() != typeof(SynchronizationContext))
        {
            context.Post(s_invoke, this);
        }
        else
        {
            _ = Task.Factory.StartNew(
                _invoke, CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskScheduler.Current);
        }
    }

    private void Invoke()
    {
        _isDelivered = true;
        var (continuation, state) = (_continuation!, _state);
        if (_context is { } context)
        {
            ExecutionContext.Run(context, new ContextCallback(continuation), state);
        }
        else
        {
            continuation(state);
        }
    }

    private void Check(short token)
    {
        if (token != _version)
        {
            throw new InvalidOperationException("The result was taken before; it can be once.");
        }
    }
}
