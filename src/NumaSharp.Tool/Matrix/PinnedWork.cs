using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>
/// Runs something on CPUs, on a thread of its own: CoreCLR gives every later thread the mask of a pinned main one.
/// </summary>
internal static class PinnedWork
{
    /// <summary>Runs it.</summary>
    /// <param name="affinity">Who pins.</param>
    /// <param name="cpus">Where.</param>
    /// <param name="work">Gets whether the thread was pinned, or why not.</param>
    public static Task<T> RunAsync<T>(INumaAffinityProvider affinity, CpuSet cpus, Func<NumaResult, T> work)
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
                // Unhandled here, it would end the process.
                done.SetException(exception);
            }
        })
        {
            IsBackground = true,
            Name = "numasharp-matrix",
        };
        thread.Start();
        return done.Task;
    }
}
