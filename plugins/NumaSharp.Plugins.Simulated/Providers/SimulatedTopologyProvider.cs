using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Machine;
using NumaSharp.Plugins.Simulated.Memory;
using NumaSharp.Plugins.Simulated.Recording;

namespace NumaSharp.Plugins.Simulated.Providers;

internal sealed class SimulatedTopologyProvider(
    SimulatedMachine machine, NodeLedger ledger, FaultSet faults, CallRecorder calls) : INumaTopologyProvider
{
    public string Name => SimulatedMachine.ProviderName;

    public NumaTopology Read()
    {
        var result = calls.Record(
            SimulatedOperation.Read, faults.Meet(SimulatedOperation.Read, static _ => false));
        result.ThrowIfFailed("Reading the simulated machine");
        return TopologyBuilder.Build(machine.State.Options, ledger.FreeBytesOf);
    }

    public NumaNodeStatistics? ReadStatistics(NumaNodeId nodeId)
    {
        var result = faults.Meet(SimulatedOperation.ReadStatistics, node => node == nodeId);
        var node = result.Succeeded ? machine.State.FindNode(nodeId) : null;
        calls.Record(SimulatedOperation.ReadStatistics, result, nodeId);
        return node is null ? null : ledger.StatisticsOf(node);
    }

    public IDisposable Watch(Action changed)
    {
        ArgumentNullException.ThrowIfNull(changed);
        return machine.AddWatch(changed);
    }
}
