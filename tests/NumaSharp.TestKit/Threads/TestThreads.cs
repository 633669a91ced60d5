using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;

namespace NumaSharp.TestKit;

/// <summary>
/// Test code on threads of its own, which end before the call does: what they are pinned to or keep ends with them.
/// </summary>
public static class TestThreads
{
    /// <summary>Runs it on one thread. What it throws, this throws.</summary>
    public static void Run(Action body)
    {
        ArgumentNullException.ThrowIfNull(body);
        Run(1, _ => body());
    }

    /// <summary>
    /// Runs it on so many threads at the same time, each with its index. What the first to fail throws, this throws.
    /// </summary>
    public static void Run(int count, Action<int> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        var failures = new ConcurrentQueue<ExceptionDispatchInfo>();
        var threads = Enumerable.Range(0, count).Select(index => new Thread(() =>
        {
            try
            {
                body(index);
            }
            catch (Exception exception)
            {
                failures.Enqueue(ExceptionDispatchInfo.Capture(exception));
            }
        })).ToArray();
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => Wait.For(thread));
        if (failures.TryPeek(out var first))
        {
            first.Throw();
        }
    }
}
