namespace NumaSharp.Hosting.Plugins;

/// <summary>Paths without links in any component (realpath(3)).</summary>
internal static class RealPath
{
    // As the kernel does it (path_resolution(7)).
    private const int MaxLinks = 40;

    /// <summary>Resolves all links in the path of a file or folder.</summary>
    /// <exception cref="IOException">A component is missing, or there are too many links.</exception>
    /// <exception cref="UnauthorizedAccessException">A component cannot be read.</exception>
    public static string Of(string path)
    {
        var full = Path.GetFullPath(path);
        var root = Path.GetPathRoot(full)!;
        var left = new Stack<string>(PartsOf(full, root).Reverse());
        var real = root;
        for (var links = 0; left.TryPop(out var part);)
        {
            var next = Path.Combine(real, part);
            if (LinkTargetOf(next) is not { } target)
            {
                real = next;
                continue;
            }

            if (++links > MaxLinks)
            {
                throw new IOException("has too many symbolic links in its path");
            }

            var resolved = Path.GetFullPath(target, real);
            root = Path.GetPathRoot(resolved)!;
            foreach (var targetPart in PartsOf(resolved, root).Reverse())
            {
                left.Push(targetPart);
            }

            real = root;
        }

        return real;
    }

    /// <summary>Whether a real path is below a real folder.</summary>
    public static bool IsBelow(string path, string folder) =>
        path.StartsWith(Path.TrimEndingDirectorySeparator(folder) + Path.DirectorySeparatorChar, StringComparison.Ordinal);

    private static string? LinkTargetOf(string path)
    {
        FileSystemInfo info = Directory.Exists(path) ? new DirectoryInfo(path) : new FileInfo(path);
        return info.LinkTarget is { } target ? target
            : info.Exists ? null
            : throw new FileNotFoundException($"'{path}' does not exist", path);
    }

    private static string[] PartsOf(string full, string root) =>
        full[root.Length..].Split(Path.DirectorySeparatorChar, StringSplitOptions.RemoveEmptyEntries);
}
