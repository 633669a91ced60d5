namespace NumaSharp.TestKit;

/// <summary>
/// A thread that has done something and then waits, so that what it has in its caches stays there. It ends when disposed of.
/// </summary>
public sealed class ParkedThread : IDisposable
{
    private readonly Gate _end = new();
    private readonly Thread _thread;

    /// <summary>Returns when the work is done. What that throws, this throws.</summary>
    public ParkedThread(Action work)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _thread = TestThreads.Start(() =>
        {
            try
            {
                work();
                done.SetResult();
            }
            catch (Exception exception)
            {
                done.SetException(exception);
            }

            _end.Pass();
        });
        try
        {
            Wait.For(done.Task, "the work of a thread that is then parked");
        }
        catch
        {
            _end.Open();
            throw;
        }
    }

    public void Dispose()
    {
        _end.Open();
        Wait.For(_thread);
        _end.Dispose();
    }
}
