using System.Collections.Concurrent;

namespace NumaSharp.Tool.Run;

/// <summary>
/// The thread that starts all children, and outlives them: PR_SET_PDEATHSIG acts when the thread that started a process ends
/// (prctl(2), BUGS), and a pool thread may end at any time.
/// </summary>
internal sealed class SpawnThread : IDisposable
{
    private readonly BlockingCollection<Action> _work = [];
    private readonly Thread _thread;

    public SpawnThread()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "numasharp-spawn" };
        _thread.Start();
    }

    /// <summary>Runs an action on the thread.</summary>
    public Task RunAsync(Action action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _work.Add(() =>
        {
            try
            {
                action();
                done.SetResult();
            }
            catch (Exception exception)
            {
                done.SetException(exception);
            }
        });
        return done.Task;
    }

    public void Dispose()
    {
        _work.CompleteAdding();
        _thread.Join();
        _work.Dispose();
    }

    private void Run()
    {
        foreach (var action in _work.GetConsumingEnumerable(CancellationToken.None))
        {
            action();
        }
    }
}
