using Acme.Firmware;
using NumaSharp.Core;

namespace Acme.Numa;

internal sealed class AcmeTopologyProvider(AcmeSettings settings) : INumaTopologyProvider
{
    public string Name => AcmePlugin.Name;

    public NumaTopology Read() => new(
        $"{Name} {FirmwareTable.Revision}",
        Enumerable.Range(0, settings.Nodes).Select(static id => new NumaNode
        {
            Id = new(id),
            Cpus = CpuSet.Range(id * FirmwareTable.CpusPerNode, FirmwareTable.CpusPerNode),
            OnlineCpus = CpuSet.Range(id * FirmwareTable.CpusPerNode, FirmwareTable.CpusPerNode),
            MemoryBytes = FirmwareTable.BytesPerNode,
            MemoryFreeBytes = FirmwareTable.BytesPerNode,
            IsMemoryAllowed = true,
        }));
}
