using System.Collections.Concurrent;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Runs asynchronous work on one thread of its own from beginning to end: a harness that measures the thread pool must not
/// occupy one of its threads.
/// </summary>
internal sealed class OwnThread : SynchronizationContext
{
    private readonly BlockingCollection<(SendOrPostCallback Callback, object? State)> _posted = [];

    private OwnThread()
    {
    }

    public static Task RunAsync(Func<Task> work)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() => new OwnThread().Pump(work, ended)) { IsBackground = true, Name = "driver" };
        thread.Start();
        return ended.Task;
    }

    public override void Post(SendOrPostCallback d, object? state) => _posted.Add((d, state));

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("nothing waits for the thread that measures");

    private void Pump(Func<Task> work, TaskCompletionSource ended)
    {
        SetSynchronizationContext(this);
        var running = work();
        _ = running.ContinueWith(
            _ => _posted.CompleteAdding(),
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        foreach (var (callback, state) in _posted.GetConsumingEnumerable())
        {
            callback(state);
        }

        ended.SetFromTask(running);
    }
}
