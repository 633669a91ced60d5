using NumaSharp.Interop;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// Accepts regular files only. Opening anything else may block forever (a FIFO without a writer), or have effects (a device).
/// Linux; on other systems only folders are refused.
/// </summary>
internal static class PluginFile
{
    /// <exception cref="PluginRefusedException">It is not a regular file.</exception>
    /// <exception cref="IOException">Its status cannot be read.</exception>
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
            throw new IOException($"'{path}' cannot be checked (statx: {result.ErrorName})");
        }

        Require(facts);
    }

    /// <summary>Reads a file once: the checked bytes are the loaded bytes.</summary>
    /// <exception cref="PluginRefusedException">It cannot be read.</exception>
    public static byte[] Read(string path)
    {
        try
        {
            // It may have been replaced since the check: opening does not block, and the open file is checked again.
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
