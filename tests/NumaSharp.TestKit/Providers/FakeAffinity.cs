using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// Remembers what each thread was pinned to; the current CPU is what the test says. Not a SimulatedMachine, on which a thread
/// runs where it was pinned to.
/// </summary>
public sealed class FakeAffinity : INumaAffinityProvider
{
    public string Name => "Fake";

    public ConcurrentDictionary<int, CpuSet> Pinned { get; } = new();

    public int CurrentCpu { get; set; }

    /// <summary>Says which CPU the calling thread runs on, in place of <see cref="CurrentCpu"/>. It may block.</summary>
    public Func<int>? OnCurrent { get; set; }

    /// <summary>Called before the calling thread is pinned. It may block.</summary>
    public Action OnPinning { get; set; } = static () => { };

    public NumaResult Answer { get; set; } = NumaResult.Success;

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = Pinned.GetValueOrDefault(Environment.CurrentManagedThreadId) ?? CpuSet.Empty;
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        OnPinning();
        if (Answer.Succeeded)
        {
            Pinned[Environment.CurrentManagedThreadId] = cpus;
        }

        return Answer;
    }

    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        (cpu, nodeId) = (OnCurrent?.Invoke() ?? CurrentCpu, default);
        return NumaResult.Success;
    }
}
