namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// The folder <c>plugins</c> of the content root, and what may be read from it: files that are in it after all links are
/// resolved, and that not everybody can have put there.
/// </summary>
internal sealed class PluginFolder(string contentRoot)
{
    public const string Name = "plugins";

    /// <summary>Finds a file.</summary>
    /// <param name="path">Relative to the content root, or absolute.</param>
    /// <returns>Its real path.</returns>
    /// <exception cref="PluginRefusedException">It is not there, elsewhere, or writable for everybody.</exception>
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

            if (Directory.Exists(real))
            {
                throw PluginRefusedException.Because("must be a file; it is a folder");
            }

            RefuseWritable(real, realFolder);
            return real;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw PluginRefusedException.Because(
                $"must be a file below '{folder}': {exception.Message.TrimEnd('.')}", exception);
        }
    }

    /// <summary>Reads a file once: what is checked is what is loaded.</summary>
    /// <exception cref="PluginRefusedException">It cannot be read.</exception>
    public static byte[] Read(string realPath)
    {
        try
        {
            return File.ReadAllBytes(realPath);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw PluginRefusedException.Because($"cannot be read: {exception.Message.TrimEnd('.')}", exception);
        }
    }

    private static void RefuseWritable(string file, string pluginFolder)
    {
        // Windows has no such bit; there the folder's access control list is the administrator's business.
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        for (var path = file; path is not null; path = Path.GetDirectoryName(path))
        {
            var mode = File.GetUnixFileMode(path);

            // In a sticky folder nobody replaces what is another's (unlink(2), EPERM): enough on the way to the folder, where
            // all names are given, but inside it a missing name could be taken.
            var isShared = mode.HasFlag(UnixFileMode.StickyBit) && path != pluginFolder && !RealPath.IsBelow(path, pluginFolder);
            if (mode.HasFlag(UnixFileMode.OtherWrite) && !isShared)
            {
                throw PluginRefusedException.Because(
                    $"is refused because everybody can write to '{path}'; take that right away (chmod o-w)");
            }
        }
    }
}
