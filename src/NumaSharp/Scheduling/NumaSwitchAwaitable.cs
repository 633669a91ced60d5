using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace NumaSharp.Scheduling;

/// <summary>
/// The result of <see cref="NumaTaskScheduler.SwitchTo(int)"/> and <see cref="NumaTaskScheduler.Yield"/>, to be awaited at once.
/// </summary>
public readonly struct NumaSwitchAwaitable : ICriticalNotifyCompletion
{
    private static readonly Action<object?> s_continue = static continuation => ((Action)continuation!)();
    private static readonly SendOrPostCallback s_post = static continuation => ((Action)continuation!)();

    private readonly NodeWorkers? _node;
    private readonly bool _isYield;

    internal NumaSwitchAwaitable(NodeWorkers? node, bool isYield)
    {
        _node = node;
        _isYield = isYield;
    }

    /// <summary>For the compiler: whether there is nothing to wait for.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public bool IsCompleted => _node is null || (!_isYield && _node.IsCaller);

    /// <summary>For the compiler.</summary>
    /// <returns>This.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public NumaSwitchAwaitable GetAwaiter() => this;

    /// <summary>For the compiler.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void GetResult()
    {
    }

    /// <summary>For the compiler: queues the continuation, with the caller's <see cref="ExecutionContext"/>.</summary>
    /// <param name="continuation">The continuation.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void OnCompleted(Action continuation)
    {
        ArgumentNullException.ThrowIfNull(continuation);
        Queue(CallersContext.Flow(s_post, continuation));
    }

    /// <summary>For the compiler: queues the continuation; <c>async</c> methods bring their own context.</summary>
    /// <param name="continuation">The continuation.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public void UnsafeOnCompleted(Action continuation)
    {
        ArgumentNullException.ThrowIfNull(continuation);
        Queue(new WorkItem(s_continue, continuation));
    }

    private void Queue(WorkItem item)
    {
        if (_node is null)
        {
            throw new InvalidOperationException("Only a value returned by SwitchTo or Yield can be awaited.");
        }

        _node.Scheduler.Continue(_node, item, isFair: _isYield);
    }
}
