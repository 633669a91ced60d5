using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Interop;

namespace NumaSharp.TestKit;

/// <summary>
/// Test code on threads of its own, which end before the call does: what they are pinned to or keep ends with them.
/// </summary>
public static class TestThreads
{
    // Threads that work have time: some stress tests do so much that a slow machine needs longer than any wait. Those that wait
    // for one another use no CPU, whatever other tests use meanwhile; those that spin use it, and fail after the last limit.
    private const int MostLimits = 10;
    private static readonly TimeSpan s_leastWork = TimeSpan.FromSeconds(1);

    // The kernel's ids of the threads of the run that this thread is one of, and of the runs in it, for which it waits.
    [ThreadStatic]
    private static ConcurrentQueue<int>? t_ids;

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
        var ids = t_ids ?? new ConcurrentQueue<int>();
        var threads = Enumerable.Range(0, count).Select(index => Start(() =>
        {
            t_ids = ids;
            ids.Enqueue(OperatingSystem.IsLinux() ? Native.GetThreadId() : 0);
            try
            {
                body(index);
            }
            catch (Exception exception)
            {
                failures.Enqueue(ExceptionDispatchInfo.Capture(exception));
            }
        })).ToArray();
        var (limits, before) = (1, new Dictionary<int, TimeSpan>());
        bool AreAtWork()
        {
            var (last, now) = (before, TimesOf(ids));
            before = now;
            return failures.IsEmpty && limits++ < MostLimits && HaveWorked(last, now);
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

    // What each has used so far; those that have ended are missing.
    private static Dictionary<int, TimeSpan> TimesOf(IEnumerable<int> threadIds)
    {
        var times = new Dictionary<int, TimeSpan>();
        foreach (var id in threadIds)
        {
            if (!OperatingSystem.IsLinux())
            {
                // Elsewhere of the process: then threads that hang are found later.
                times[id] = Environment.CpuUsage.TotalTime;
            }
            else if (Native.GetThreadCpuTime(id, out var time).Succeeded)
            {
                times[id] = time;
            }
        }

        return times;
    }

    private static bool HaveWorked(Dictionary<int, TimeSpan> last, Dictionary<int, TimeSpan> now) =>
        last.Keys.Any(id => !now.ContainsKey(id))
        || now.Sum(time => (time.Value - last.GetValueOrDefault(time.Key)).TotalSeconds) > s_leastWork.TotalSeconds;
}
