namespace NumaSharp.Core.Topology;

/// <summary>The two lines of a meminfo file that matter here, in bytes.</summary>
internal readonly record struct NodeMeminfo(long TotalBytes, long FreeBytes);
