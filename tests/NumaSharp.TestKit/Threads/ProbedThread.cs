using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// A line of tests/Apps/ThreadProbe: a thread of a process whose pinned worker has made the runtime start others.
/// </summary>
/// <param name="Name">At most 15 characters of its name; <c>main</c> for the main thread.</param>
/// <param name="Cpus">Where it may run.</param>
public sealed record ProbedThread(string Name, CpuSet Cpus)
{
    // As the kernel cuts them.
    private static readonly string[] s_nobodysInParticular =
    [
        ".NET TP Worker", ".NET TP Gate", ".NET TP Wait", ".NET Timer", ".NET Sockets", ".NET Long Runni", "worker-monitor",
        "numa-watchdog",
    ];

    private bool IsMain => Name == "main";

    private bool IsWorker => Name.StartsWith("worker", StringComparison.Ordinal) && char.IsAsciiDigit(Name["worker".Length]);

    public static IReadOnlyList<ProbedThread> Parse(string output) =>
    [
        .. output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(static line => line.Split('\t'))
            .Select(static words => new ProbedThread(words[0], CpuSet.ParseList(words[1]))),
    ];

    /// <summary>Workers have some of the process's CPUs, and what they were the first to need has all.</summary>
    public static void AssertOnlyWorkersAreConfined(IReadOnlyList<ProbedThread> threads)
    {
        var all = threads.Single(static thread => thread.IsMain).Cpus;
        var workers = threads.Where(static thread => thread.IsWorker).ToArray();
        Assert.NotEmpty(workers);
        Assert.All(workers, worker => Assert.InRange(worker.Cpus.Count, 1, all.Count - 1));
        foreach (var name in s_nobodysInParticular)
        {
            var named = threads.Where(thread => thread.Name == name).ToArray();
            Assert.True(named.Length != 0, $"There is no thread {name}: {string.Join("; ", threads)}");
            Assert.All(named, thread => Assert.Equal(all, thread.Cpus));
        }
    }
}
