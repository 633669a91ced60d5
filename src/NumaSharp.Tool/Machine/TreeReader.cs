using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Machine;

/// <summary>
/// Reads small kernel files below a folder, live or captured. Like the topology's own reader it never blocks, reads a limited
/// amount, and does not throw because of a tree's content; an unreadable file has no text.
/// </summary>
internal sealed class TreeReader(string root)
{
    private const int MaxEntries = 1 << 16;

    public string Root { get; } = Path.GetFullPath(root);

    public string PathOf(string relative) => Path.Join(Root, relative);

    /// <summary>The trimmed text, or <see langword="null"/>.</summary>
    public string? Read(string relative) => ReadBytes(relative) is { } bytes ? KernelFile.TextOf(bytes) : null;

    public long? ReadNumber(string relative) =>
        long.TryParse(Read(relative), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;

    /// <summary>A kernel list; <see langword="null"/> if there is none.</summary>
    public CpuSet? ReadList(string relative) =>
        Read(relative) is { } text && CpuSet.TryParseList(text, out var set) ? set : null;

    /// <summary>The bytes; <see langword="null"/> if they cannot be read or exceed the limit.</summary>
    public byte[]? ReadBytes(string relative, int limit = KernelFile.DefaultLimit)
    {
        if (relative.Contains('\0', StringComparison.Ordinal))
        {
            return null;
        }

        try
        {
            _ = KernelFile.Open(PathOf(relative), out var handle);
            using (handle)
            {
                return handle is not null && KernelFile.Read(handle, limit) is var bytes && bytes.Length <= limit
                    ? bytes.ToArray()
                    : null;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return null;
        }
    }

    /// <summary>The names in a folder in ordinal order; empty if it cannot be read.</summary>
    public IReadOnlyList<string> List(string relative)
    {
        try
        {
            var entries = Directory.EnumerateFileSystemEntries(PathOf(relative)).Take(MaxEntries);
            return [.. entries.Select(static path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    public bool IsFolder(string relative) => Directory.Exists(PathOf(relative));

    public bool IsLink(string relative) => new FileInfo(PathOf(relative)).LinkTarget is not null;

    /// <summary>The target of a link within the tree; the path itself if it is no link or leads out of the tree.</summary>
    public string Follow(string relative)
    {
        try
        {
            var target = Directory.ResolveLinkTarget(PathOf(relative), returnFinalTarget: true);
            var resolved = target is null ? relative : Path.GetRelativePath(Root, target.FullName);
            return resolved.StartsWith("..", StringComparison.Ordinal) ? relative : resolved;
        }
        catch (IOException)
        {
            return relative;
        }
    }
}
