using NumaSharp.Interop;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// The content root's folder <c>plugins</c>, and the files that may be read from it: those inside it after all links are
/// resolved, which only root and the process's own user, or users they permit, can have put there.
/// </summary>
internal sealed class PluginFolder(string contentRoot, FileOwners? owners = null)
{
    public const string Name = "plugins";

    private readonly FileOwners _owners = owners ?? FileOwners.OfThisSystem;

    /// <summary>Finds a file.</summary>
    /// <param name="path">Relative to the content root, or absolute.</param>
    /// <returns>Its real path.</returns>
    /// <exception cref="PluginRefusedException">Missing, elsewhere, not a file, of another user, or world-writable.</exception>
    public string Find(string path)
    {
        var folder = Path.Combine(contentRoot, Name);
        try
        {
            var realFolder = RealPath.Of(folder);
            var real = RealPath.Of(Path.Combine(contentRoot, path));
            if (!RealPath.IsBelow(real, realFolder))
            {
                throw PluginRefusedException.Because($"must be a file below '{folder}'; with links resolved it is '{real}'");
            }

            PluginFile.Check(real);
            RefuseForeign(real, realFolder);
            return real;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw PluginRefusedException.Because(
                $"must be a file below '{folder}': {exception.Message.TrimEnd('.')}", exception);
        }
    }

    private void RefuseForeign(string file, string pluginFolder)
    {
        // Windows has no such bit; there the administrator sets the folder's access control list.
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        for (var path = file; path is not null; path = Path.GetDirectoryName(path))
        {
            _owners.Check(path);
            var mode = File.GetUnixFileMode(path);

            // In a sticky folder users cannot replace each other's files (unlink(2), EPERM): that suffices above the plugin
            // folder, where all names exist, but inside it another user could create a missing one.
            var isShared = mode.HasFlag(UnixFileMode.StickyBit) && path != pluginFolder && !RealPath.IsBelow(path, pluginFolder);
            if (mode.HasFlag(UnixFileMode.OtherWrite) && !isShared)
            {
                throw PluginRefusedException.Because(
                    $"is refused because every user can write to '{path}'; remove that permission (chmod o-w)");
            }
        }
    }
}

/// <summary>The allowed owners of plugin files and their folders. Only checked on Linux.</summary>
/// <param name="user">The effective user of the process.</param>
/// <param name="ownerOf">Returns the owner of a file or folder, <see langword="null"/> if unknown.</param>
internal sealed class FileOwners(uint user, Func<string, uint?> ownerOf)
{
    private const uint Root = 0;

    public static FileOwners OfThisSystem { get; } = new(
        OperatingSystem.IsLinux() ? Native.GetEffectiveUser() : Root,
        OperatingSystem.IsLinux() ? ReadOwner : static _ => null);

    /// <exception cref="PluginRefusedException">It belongs to another user, able to change it whatever its mode.</exception>
    public void Check(string path)
    {
        if (ownerOf(path) is { } owner && owner != Root && owner != user)
        {
            var allowed = user == Root ? "root" : $"root or user {user}, which this process runs as";
            throw PluginRefusedException.Because(
                $"is refused because '{path}' belongs to user {owner}; its owner must be {allowed} (chown)");
        }
    }

    private static uint? ReadOwner(string path)
    {
        var result = Native.Statx(path, out var facts);
        return result.Succeeded ? facts.User : throw new IOException($"'{path}' cannot be checked (statx: {result.ErrorName})");
    }
}

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
