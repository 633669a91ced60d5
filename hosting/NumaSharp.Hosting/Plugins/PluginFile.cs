using NumaSharp.Interop;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// Files proper. To open anything else may wait for ever (a FIFO that nobody writes to), or do something (a device). Linux; on
/// other systems the type of a file is not looked at.
/// </summary>
internal static class PluginFile
{
    /// <exception cref="PluginRefusedException">It is something else.</exception>
    /// <exception cref="IOException">It cannot be looked at.</exception>
    public static void Check(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            if (Directory.Exists(path))
            {
                throw NoFile(isFolder: true);
            }

            return;
        }

        var result = Native.Statx(path, out var facts);
        if (!result.Succeeded)
        {
            throw new IOException($"'{path}' cannot be looked at (statx: {result.ErrorName})");
        }

        Require(facts);
    }

    /// <summary>Reads a file once: what is checked is what is loaded.</summary>
    /// <exception cref="PluginRefusedException">It cannot be read.</exception>
    public static byte[] Read(string path)
    {
        try
        {
            // It may have become something else since it was checked: opening does not wait, and what was opened is checked.
            var result = KernelFile.Open(path, out var handle);
            if (handle is null)
            {
                throw PluginRefusedException.Because($"cannot be read (open: {result.ErrorName})");
            }

            using var file = handle;
            if (OperatingSystem.IsLinux() && Native.Statx(file, out var facts).Succeeded)
            {
                Require(facts);
            }

            using var stream = new FileStream(file, FileAccess.Read, bufferSize: 0);
            using var content = new MemoryStream();
            stream.CopyTo(content);
            return content.ToArray();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw PluginRefusedException.Because($"cannot be read: {exception.Message.TrimEnd('.')}", exception);
        }
    }

    private static void Require(FileFacts facts)
    {
        if (!facts.IsRegular)
        {
            throw NoFile(facts.IsFolder);
        }
    }

    private static PluginRefusedException NoFile(bool isFolder) => PluginRefusedException.Because(
        isFolder ? "must be a file; it is a folder" : "must be a file; it is a FIFO, a socket or a device");
}
