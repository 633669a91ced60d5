using System.Formats.Tar;
using System.IO.Compression;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Snapshot;

/// <summary>Writes a snapshot as tar.gz: plain files and folders, no owner names, no times.</summary>
internal static class SnapshotArchive
{
    private const string TopFolder = "numasharp-snapshot";
    private const UnixFileMode FileMode644 =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
    private const UnixFileMode FolderMode755 =
        FileMode644 | UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    /// <exception cref="ToolException">The file already exists.</exception>
    public static void Write(string path, IReadOnlyList<SnapshotFile> files)
    {
        if (path.Length == 0)
        {
            throw new ToolException("--output '' is not the name of a file.");
        }

        if (File.Exists(path))
        {
            throw new ToolException($"--output '{path}' already exists; choose another name.");
        }

        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        try
        {
            Write(file, files);
            file.Flush();
        }
        catch (IOException)
        {
            // A partial archive is useless, and would block the next attempt.
            File.Delete(path);
            throw;
        }
    }

    private static void Write(Stream target, IReadOnlyList<SnapshotFile> files)
    {
        using var zipped = new GZipStream(target, CompressionLevel.SmallestSize, leaveOpen: true);
        using var archive = new TarWriter(zipped, TarEntryFormat.Gnu);
        foreach (var entry in files)
        {
            archive.WriteEntry(ToEntry(entry));
        }
    }

    // Not the pax format: .NET puts its process id into its entry names.
    private static GnuTarEntry ToEntry(SnapshotFile file) => file.Content is null
        ? new GnuTarEntry(TarEntryType.Directory, $"{TopFolder}/{file.Path}/")
        {
            Mode = FolderMode755,
            ModificationTime = DateTimeOffset.UnixEpoch,
        }
        : new GnuTarEntry(TarEntryType.RegularFile, $"{TopFolder}/{file.Path}")
        {
            Mode = FileMode644,
            ModificationTime = DateTimeOffset.UnixEpoch,
            DataStream = new MemoryStream(file.Content),
        };
}
