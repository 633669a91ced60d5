using System.Runtime.ExceptionServices;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>A thread that does one thing after the other, while the caller waits.</summary>
internal sealed class ModelWorker : IDisposable
{
    private readonly SemaphoreSlim _asked = new(0);
    private readonly SemaphoreSlim _done = new(0);
    private readonly Thread _thread;
    private Action? _work;
    private ExceptionDispatchInfo? _failure;

    public ModelWorker()
    {
        _thread = TestThreads.Start(Work);
    }

    public void Run(Action work)
    {
        _work = work;
        _asked.Release();
        Wait.For(_done, "the end of a step");
        Interlocked.Exchange(ref _failure, null)?.Throw();
    }

    public void Dispose()
    {
        _work = null;
        _asked.Release();
        Wait.For(_thread);
        _asked.Dispose();
        _done.Dispose();
    }

    private void Work()
    {
        for (_asked.Wait(); _work is not null; _asked.Wait())
        {
            try
            {
                _work();
            }
            catch (Exception exception)
            {
                _failure = ExceptionDispatchInfo.Capture(exception);
            }

            _done.Release();
        }
    }
}
