using System.Runtime.ExceptionServices;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>A thread that does one thing after the other, while who asked for it waits.</summary>
internal sealed class ModelWorker : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private readonly SemaphoreSlim _asked = new(0);
    private readonly SemaphoreSlim _done = new(0);
    private readonly Thread _thread;
    private Action? _work;
    private ExceptionDispatchInfo? _failure;

    public ModelWorker()
    {
        _thread = new Thread(Work) { IsBackground = true };
        _thread.Start();
    }

    public void Run(Action work)
    {
        _work = work;
        _asked.Release();
        Assert.True(_done.Wait(s_patience), "A step hangs.");
        Interlocked.Exchange(ref _failure, null)?.Throw();
    }

    public void Dispose()
    {
        _work = null;
        _asked.Release();
        Assert.True(_thread.Join(s_patience), "A thread does not end.");
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
