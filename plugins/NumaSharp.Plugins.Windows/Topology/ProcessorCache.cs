using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>A cache that holds data.</summary>
/// <param name="Level">1 to 4 in practice.</param>
/// <param name="SizeBytes">Its size.</param>
/// <param name="Cpus">The CPUs that share it.</param>
internal sealed record ProcessorCache(int Level, long SizeBytes, CpuSet Cpus);
