namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>A node's memory.</summary>
/// <param name="HasMemory">Whether it has any.</param>
/// <param name="TotalBytes">Its total, as far as Windows reports it.</param>
/// <param name="FreeBytes">The currently available part.</param>
internal readonly record struct NodeMemorySize(bool HasMemory, long TotalBytes, long FreeBytes);
