using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>
/// Runs work on CPUs, on a new thread: CoreCLR gives every later thread the mask of a pinned main thread.
/// </summary>
internal static class PinnedWork
{
    private const string MatrixThread = "numasharp-matrix";

    /// <summary>Runs the work.</summary>
    /// <param name="affinity">Pins the thread.</param>
    /// <param name="cpus">The CPUs.</param>
    /// <param name="work">Receives whether the thread was pinned, or why not.</param>
    /// <param name="threadName">The thread's name.</param>
    public static Task<T> RunAsync<T>(
        INumaAffinityProvider affinity, CpuSet cpus, Func<NumaResult, T> work, string threadName = MatrixThread)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() =>
        {
            try
            {
                done.SetResult(work(affinity.SetThreadCpus(cpus)));
            }
            catch (Exception exception)
            {
                // An unhandled exception would end the process.
                done.SetException(exception);
            }
        })
        {
            IsBackground = true,
            Name = threadName,
        };
        thread.Start();
        return done.Task;
    }
}
