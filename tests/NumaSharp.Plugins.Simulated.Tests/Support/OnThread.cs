using System.Runtime.ExceptionServices;

namespace NumaSharp.Plugins.Simulated.Tests.Support;

/// <summary>Runs test code on a thread of its own: what it is pinned to ends with it.</summary>
internal static class OnThread
{
    public static void Run(Action work)
    {
        ExceptionDispatchInfo? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                work();
            }
            catch (Exception exception)
            {
                failure = ExceptionDispatchInfo.Capture(exception);
            }
        });
        thread.Start();
        thread.Join();
        failure?.Throw();
    }
}
