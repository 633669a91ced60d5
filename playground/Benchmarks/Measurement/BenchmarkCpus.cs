using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// One CPU for what is measured (the server under load) and another for the other side of the work (the load generator,
/// the second thread), neither of which is the other's SMT sibling where possible. Null where there is only one CPU;
/// then nothing is pinned and the note says so.
/// </summary>
internal sealed record BenchmarkCpus(int? Server, int? Load, string? Note)
{
    public static BenchmarkCpus Choose(CpuSet allowed, Func<int, CpuSet> siblingsOf)
    {
        if (allowed.Count < 2)
        {
            return new BenchmarkCpus(null, null, "one CPU: both sides of the work share it, nothing is pinned");
        }

        var server = allowed.First;
        var others = allowed.Except(CpuSet.FromIds(server));
        var apart = others.Except(siblingsOf(server));
        return apart.IsEmpty
            ? new BenchmarkCpus(server, others.First, "the two CPUs are SMT siblings of one core")
            : new BenchmarkCpus(server, apart.First, null);
    }

    public static BenchmarkCpus OfThisMachine() => Choose(AllowedCpus(Environment.ProcessId), Siblings);

    /// <summary>The CPUs that the kernel lets a process run on (proc_pid_status(5)).</summary>
    public static CpuSet AllowedCpus(int processId)
    {
        const string Key = "Cpus_allowed_list:";
        var path = string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/status");
        var line = File.ReadLines(path).FirstOrDefault(line => line.StartsWith(Key, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{path} has no {Key}");
        return CpuSet.ParseList(line.AsSpan(Key.Length).Trim());
    }

    private static CpuSet Siblings(int cpu)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        return File.Exists(path) ? CpuSet.ParseList(File.ReadAllText(path).AsSpan().Trim()) : CpuSet.Empty;
    }
}
