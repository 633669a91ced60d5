using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Every other thread that asks is on CPU 0, the others are on CPU 2.</summary>
internal sealed class FakeAffinityByThread : INumaAffinityProvider
{
    private readonly ConcurrentDictionary<int, int> _cpuOfThread = new();
    private int _next;

    public string Name => "Fake";

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = CpuSet.Empty;
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus) => NumaResult.Success;

    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        cpu = _cpuOfThread.GetOrAdd(Environment.CurrentManagedThreadId, _ => Interlocked.Add(ref _next, 2) % 4);
        nodeId = default;
        return NumaResult.Success;
    }
}
