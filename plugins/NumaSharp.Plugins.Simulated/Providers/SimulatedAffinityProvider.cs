using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Recording;

namespace NumaSharp.Plugins.Simulated.Providers;

/// <summary>The simulated CPUs of threads. The system places the real threads.</summary>
internal sealed class SimulatedAffinityProvider(SimulatedMachine machine, FaultSet faults, CallRecorder calls)
    : INumaAffinityProvider, IDisposable
{
    // Not trackAllValues: threads come and go.
    private readonly ThreadLocal<CpuSet?> _cpus = new();

    public string Name => SimulatedMachine.ProviderName;

    /// <summary>The simulated node of the calling thread.</summary>
    public NumaNodeId CurrentNodeId
    {
        get
        {
            var topology = machine.State.Topology;
            return topology.Nodes[topology.IndexOfCpu(CpusOfThread(topology).First)].Id;
        }
    }

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        var result = faults.Meet(SimulatedOperation.GetThreadCpus, node => node == CurrentNodeId);
        cpus = result.Succeeded ? CpusOfThread(machine.State.Topology) : CpuSet.Empty;
        return calls.Record(SimulatedOperation.GetThreadCpus, result, cpus: cpus);
    }

    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        var topology = machine.State.Topology;
        var result = faults.Meet(
            SimulatedOperation.SetThreadCpus, node => topology.FindNode(node)?.OnlineCpus.Overlaps(cpus) == true);

        // As in sched_setaffinity(2): CPUs that are not allowed are ignored, and an empty rest is an error.
        if (result.Succeeded && !cpus.Overlaps(topology.AllowedCpus))
        {
            result = SimulatedError.EINVAL.ToResult();
        }

        if (result.Succeeded)
        {
            _cpus.Value = cpus;
        }

        return calls.Record(SimulatedOperation.SetThreadCpus, result, NodeOf(topology, cpus), cpus: cpus);
    }

    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        var result = faults.Meet(SimulatedOperation.GetCurrent, node => node == CurrentNodeId);
        var topology = machine.State.Topology;
        cpu = result.Succeeded ? CpusOfThread(topology).First : 0;
        nodeId = result.Succeeded ? topology.Nodes[topology.IndexOfCpu(cpu)].Id : default;
        return calls.Record(SimulatedOperation.GetCurrent, result, result.Succeeded ? nodeId : null);
    }

    public void Dispose() => _cpus.Dispose();

    private static NumaNodeId? NodeOf(NumaTopology topology, CpuSet cpus) =>
        topology.IndexOfCpu(Math.Max(0, cpus.Intersect(topology.AllowedCpus).First)) is >= 0 and var index && !cpus.IsEmpty
            ? topology.Nodes[index].Id
            : null;

    // As in the kernel: a thread that has lost all its CPUs may run on every allowed one.
    private CpuSet CpusOfThread(NumaTopology topology) =>
        _cpus.Value?.Intersect(topology.AllowedCpus) is { IsEmpty: false } cpus ? cpus : topology.AllowedCpus;
}
