using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>What the records of GetLogicalProcessorInformationEx say, in their order and not yet checked for sense.</summary>
/// <param name="ActiveCpus">The CPUs that run.</param>
/// <param name="Nodes">The CPUs of the nodes that have any, by id.</param>
/// <param name="Packages">The CPUs of each package.</param>
/// <param name="Cores">The CPUs of each core.</param>
/// <param name="Caches">The caches for data, of all levels.</param>
internal sealed record ProcessorInformation(
    CpuSet ActiveCpus,
    IReadOnlyDictionary<int, CpuSet> Nodes,
    IReadOnlyList<CpuSet> Packages,
    IReadOnlyList<CpuSet> Cores,
    IReadOnlyList<ProcessorCache> Caches);
