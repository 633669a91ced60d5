using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>The records of GetLogicalProcessorInformationEx, in their order and not yet checked for consistency.</summary>
/// <param name="ActiveCpus">The active CPUs.</param>
/// <param name="Nodes">The CPUs of nodes with CPUs, by id.</param>
/// <param name="Packages">The CPUs of each package.</param>
/// <param name="Cores">The CPUs of each core.</param>
/// <param name="Caches">The data caches, of all levels.</param>
internal sealed record ProcessorInformation(
    CpuSet ActiveCpus,
    IReadOnlyDictionary<int, CpuSet> Nodes,
    IReadOnlyList<CpuSet> Packages,
    IReadOnlyList<CpuSet> Cores,
    IReadOnlyList<ProcessorCache> Caches);
