using System.Runtime.ExceptionServices;
using NumaSharp.Core;

namespace NumaSharp.GuestTests.Support;

/// <summary>Runs something on a thread of its own that is pinned to CPUs.</summary>
internal static class OnThread
{
    public static void Run(CpuSet cpus, Action work) => Run(cpus, () =>
    {
        work();
        return true;
    });

    public static T Run<T>(CpuSet cpus, Func<T> work)
    {
        T result = default!;
        ExceptionDispatchInfo? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                new LinuxAffinityProvider().SetThreadCpus(cpus).ThrowIfFailed("sched_setaffinity");
                result = work();
            }
            catch (Exception exception)
            {
                failure = ExceptionDispatchInfo.Capture(exception);
            }
        });
        thread.Start();
        Wait.For(thread);
        failure?.Throw();
        return result;
    }
}
