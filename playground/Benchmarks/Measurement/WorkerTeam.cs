using System.Diagnostics;
using System.Runtime.ExceptionServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Threads that live as long as the run, so that what an allocator keeps per thread is warm. Work is measured in CPU time of
/// the thread where there is one, since others on the machine then cost little, otherwise from the first start to the last end.
/// </summary>
internal sealed class WorkerTeam : IDisposable
{
    private readonly Barrier _start;
    private readonly Barrier _end;
    private readonly WorkerReport[] _reports;
    private Action<int>? _work;

    /// <param name="cpus">One per thread; null for any.</param>
    public WorkerTeam(IReadOnlyList<int?> cpus)
    {
        _start = new Barrier(cpus.Count + 1);
        _end = new Barrier(cpus.Count + 1);
        _reports = new WorkerReport[cpus.Count];
        for (var i = 0; i < cpus.Count; i++)
        {
            var (index, cpu) = (i, cpus[i]);
            new Thread(() => Live(index, cpu)) { IsBackground = true, Name = $"worker {index}" }.Start();
        }
    }

    public int Count => _reports.Length;

    /// <summary>Runs the work on every thread at once; it is given the thread's index.</summary>
    public TeamReport Run(Action<int> work)
    {
        _work = work;
        _start.SignalAndWait();
        _end.SignalAndWait();
        foreach (var report in _reports)
        {
            report.Failure?.Throw();
        }

        var nanoseconds = Count == 1
            ? _reports[0].CpuNanoseconds
            : Stopwatch.GetElapsedTime(
                _reports.Min(static report => report.Start), _reports.Max(static report => report.End)).TotalNanoseconds;
        return new TeamReport(nanoseconds, _reports.Sum(static report => report.ManagedBytes));
    }

    public void Dispose()
    {
        _work = null;
        _start.SignalAndWait();
    }

    private void Live(int index, int? cpu)
    {
        var pinned = cpu is { } id ? Native.SchedSetAffinity(0, CpuSet.FromIds(id).AsWords()) : SysResult.FromReturn(0);
        while (true)
        {
            _start.SignalAndWait();
            if (_work is not { } work)
            {
                return;
            }

            _reports[index] = pinned.Succeeded
                ? Measure(work, index)
                : new WorkerReport(ExceptionDispatchInfo.Capture(
                    new BenchmarkException($"sched_setaffinity to CPU {cpu} says {pinned.ErrorName}")));
            _end.SignalAndWait();
        }
    }

    private static WorkerReport Measure(Action<int> work, int index)
    {
        try
        {
            var bytes = GC.GetAllocatedBytesForCurrentThread();
            var start = Stopwatch.GetTimestamp();
            var cpu = ThreadCpuClock.ReadNanoseconds();
            work(index);
            cpu = ThreadCpuClock.ReadNanoseconds() - cpu;
            var end = Stopwatch.GetTimestamp();
            return new WorkerReport(start, end, cpu, GC.GetAllocatedBytesForCurrentThread() - bytes);
        }
        catch (Exception failure)
        {
            // Thrown again where the work was asked for.
            return new WorkerReport(ExceptionDispatchInfo.Capture(failure));
        }
    }

    private readonly record struct WorkerReport(
        long Start, long End, long CpuNanoseconds, long ManagedBytes, ExceptionDispatchInfo? Failure = null)
    {
        public WorkerReport(ExceptionDispatchInfo failure)
            : this(0, 0, 0, 0, failure)
        {
        }
    }
}
