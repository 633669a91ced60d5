using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Locality;

/// <summary>A thread that stays on one CPU and does what it is given, one thing after the other.</summary>
internal sealed class PinnedThread : IDisposable
{
    private readonly BlockingCollection<Action> _work = new();
    private readonly Thread _thread;

    public PinnedThread(int cpu)
    {
        _thread = new Thread(DoWork) { IsBackground = true };
        _thread.Start();
        MoveTo(cpu);
    }

    /// <summary>The node of its CPU.</summary>
    public int Node { get; private set; }

    public void MoveTo(int cpu) => Run(() =>
    {
        NumaPlatform.Default.Affinity.SetThreadCpus(CpuSet.FromIds(cpu)).ThrowIfFailed("sched_setaffinity");
        Node = Place.OfThisThread();
    });

    /// <summary>Returns when the thread has done it. What that throws, this throws.</summary>
    public void Run(Action work) => Start(work).GetAwaiter().GetResult();

    public Task Start(Action work)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _work.Add(() =>
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
        });
        return done.Task;
    }

    public void Dispose()
    {
        _work.CompleteAdding();
        _thread.Join();
        _work.Dispose();
    }

    private void DoWork()
    {
        foreach (var work in _work.GetConsumingEnumerable())
        {
            work();
        }
    }
}
