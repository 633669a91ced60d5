namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// The folder <c>plugins</c> of the content root, and what may be read from it: files that are in it after all links are
/// resolved, and that nobody but root and the process's own user can have put there, or whom they let.
/// </summary>
internal sealed class PluginFolder(string contentRoot, FileOwners? owners = null)
{
    public const string Name = "plugins";

    private readonly FileOwners _owners = owners ?? FileOwners.OfThisSystem;

    /// <summary>Finds a file.</summary>
    /// <param name="path">Relative to the content root, or absolute.</param>
    /// <returns>Its real path.</returns>
    /// <exception cref="PluginRefusedException">It is not there, elsewhere, no file, somebody else's, or everybody's.</exception>
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
        // Windows has no such bit; there the folder's access control list is the administrator's business.
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        for (var path = file; path is not null; path = Path.GetDirectoryName(path))
        {
            _owners.Check(path);
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
