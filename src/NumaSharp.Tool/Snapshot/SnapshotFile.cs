namespace NumaSharp.Tool.Snapshot;

/// <summary>An entry of a snapshot.</summary>
/// <param name="Path">Its path below the root, such as <c>sys/devices/system/cpu/online</c>.</param>
/// <param name="Content">Its content; <see langword="null"/> for a folder or a link to one, where only the name counts.</param>
internal sealed record SnapshotFile(string Path, byte[]? Content);
