using NumaSharp.Core;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Holds one thread where it pins itself, or where it asks for its CPU, until the gate opens.</summary>
internal sealed class HeldAffinity(string threadName, EventWaitHandle gate) : INumaAffinityProvider
{
    private volatile bool _isHeld;

    public string Name => "Held";

    public bool HoldsPinning { get; set; }

    public bool HoldsCurrent { get; set; }

    public bool IsHeld => _isHeld;

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = CpuSet.Empty;
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        HoldIf(HoldsPinning);
        return NumaResult.Success;
    }

    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        HoldIf(HoldsCurrent);
        (cpu, nodeId) = (0, default);
        return NumaResult.Success;
    }

    // For as long as the test takes: an assertion that failed here would end the process.
    private void HoldIf(bool holds)
    {
        if (holds && Thread.CurrentThread.Name == threadName)
        {
            _isHeld = true;
            gate.WaitOne();
        }
    }
}
