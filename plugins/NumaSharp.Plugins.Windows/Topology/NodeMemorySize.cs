namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>A node's memory.</summary>
/// <param name="HasMemory">Whether it has any.</param>
/// <param name="TotalBytes">All of it, as far as Windows tells.</param>
/// <param name="FreeBytes">What is available now.</param>
internal readonly record struct NodeMemorySize(bool HasMemory, long TotalBytes, long FreeBytes);
