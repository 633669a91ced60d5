using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.TestKit;

/// <summary>
/// Test code on threads of its own, which end before the call does: what they are pinned to or keep ends with them.
/// </summary>
public static class TestThreads
{
    // Threads that work have time: some stress tests do so much that a slow machine needs longer than any wait. One that hangs
    // uses no CPU, or spins.
    private const int MostLimits = 10;
    private static readonly TimeSpan s_leastWork = TimeSpan.FromSeconds(3);

    /// <summary>Starts a thread that does not keep the process from ending when the test that waits for it has failed.</summary>
    public static Thread Start(ThreadStart body)
    {
        var thread = new Thread(body) { IsBackground = true };
        thread.Start();
        return thread;
    }

    /// <summary>Runs it on one thread. What it throws, this throws.</summary>
    public static void Run(Action body)
    {
        ArgumentNullException.ThrowIfNull(body);
        Run(1, _ => body());
    }

    /// <inheritdoc cref="Run(Action)"/>
    /// <returns>Its result.</returns>
    public static T Run<T>(Func<T> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        T result = default!;
        Run(1, _ => result = body());
        return result;
    }

    /// <summary>Runs it on one thread that the kernel keeps on these CPUs. What it throws, this throws.</summary>
    public static void RunOn(CpuSet cpus, Action body)
    {
        ArgumentNullException.ThrowIfNull(body);
        Run(1, _ =>
        {
            new LinuxAffinityProvider().SetThreadCpus(cpus).ThrowIfFailed("sched_setaffinity");
            body();
        });
    }

    /// <inheritdoc cref="RunOn(CpuSet, Action)"/>
    /// <returns>Its result.</returns>
    public static T RunOn<T>(CpuSet cpus, Func<T> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        T result = default!;
        RunOn(cpus, () => { result = body(); });
        return result;
    }

    /// <summary>
    /// Runs it on so many threads at the same time, each with its index. What the first to fail throws, this throws.
    /// </summary>
    public static void Run(int count, Action<int> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        var failures = new ConcurrentQueue<ExceptionDispatchInfo>();
        var threads = Enumerable.Range(0, count).Select(index => Start(() =>
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
        var (limits, before) = (1, Environment.CpuUsage.TotalTime);
        bool AreAtWork()
        {
            var last = before;
            before = Environment.CpuUsage.TotalTime;
            return failures.IsEmpty && limits++ < MostLimits && before - last > s_leastWork;
        }

        try
        {
            Array.ForEach(threads, thread => Wait.For(thread, AreAtWork));
        }
        catch (TimeoutException) when (!failures.IsEmpty)
        {
            // The others may wait for the one that has failed: its failure says more.
        }

        if (failures.TryPeek(out var first))
        {
            first.Throw();
        }
    }
}
