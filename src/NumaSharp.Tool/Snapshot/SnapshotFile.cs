namespace NumaSharp.Tool.Snapshot;

/// <summary>An entry of a snapshot.</summary>
/// <param name="Path">Where it is below the root, such as <c>sys/devices/system/cpu/online</c>.</param>
/// <param name="Content">What is in it; <see langword="null"/> for a folder or a link to one, of which the name counts.</param>
internal sealed record SnapshotFile(string Path, byte[]? Content);
