using System.Formats.Tar;
using System.IO.Compression;
using NumaSharp.Interop;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Machine;

/// <summary>
/// A snapshot, unpacked into a folder that is deleted on disposal. Archives are untrusted: only plain files and folders below
/// that folder are created, of limited number and size.
/// </summary>
internal sealed class ExtractedArchive : IDisposable
{
    private const long MaxBytes = 512L * 1024 * 1024;
    private const int MaxEntries = 400_000;
    private const int MaxNameLength = 1024;

    private readonly string _folder;
    private readonly string _archive;

    private ExtractedArchive(string archive)
    {
        _archive = archive;
        _folder = Directory.CreateTempSubdirectory("numasharp-root-").FullName;
    }

    /// <summary>The folder with sys in it: the archive's top level, or its only folder.</summary>
    public string Root { get; private set; } = "";

    /// <exception cref="ToolException">Not an archive, or not one that a snapshot would produce.</exception>
    public static ExtractedArchive Open(string archive)
    {
        var extracted = new ExtractedArchive(archive);
        try
        {
            extracted.Extract();
            extracted.Root = extracted.FindRoot();
            return extracted;
        }
        catch (Exception exception) when (exception is InvalidDataException or EndOfStreamException or FormatException)
        {
            extracted.Dispose();
            throw new ToolException($"'{archive}' is not a tar.gz archive that can be read: {exception.Message}", exception);
        }
        catch
        {
            extracted.Dispose();
            throw;
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private void Extract()
    {
        using var file = OpenFile();
        using var unzipped = new GZipStream(file, CompressionMode.Decompress);
        using var limited = new LimitedStream(unzipped, MaxBytes);
        using var reader = new TarReader(limited);
        var count = 0;
        while (reader.GetNextEntry() is { } entry)
        {
            if (++count > MaxEntries)
            {
                throw Refused($"has more than {MaxEntries} entries");
            }

            ExtractEntry(entry);
        }

        if (count == 0)
        {
            throw Refused("is empty");
        }
    }

    // Opening a pipe without a writer would block.
    private FileStream OpenFile()
    {
        _ = KernelFile.Open(_archive, out var handle);
        if (handle is not null)
        {
            using var file = new FileStream(handle, FileAccess.Read, bufferSize: 0);
            if (!file.CanSeek)
            {
                throw Refused("is not a plain file");
            }
        }

        return File.OpenRead(_archive);
    }

    private void ExtractEntry(TarEntry entry)
    {
        var path = Path.Join(_folder, Checked(entry.Name));
        switch (entry.EntryType)
        {
            case TarEntryType.Directory:
                Directory.CreateDirectory(path);
                break;
            case TarEntryType.RegularFile or TarEntryType.V7RegularFile:
                Directory.CreateDirectory(Path.GetDirectoryName(path)!);
                using (var target = new FileStream(path, FileMode.CreateNew, FileAccess.Write))
                {
                    entry.DataStream?.CopyTo(target);
                }

                break;
            default:
                throw Refused($"has an entry '{entry.Name}' that is neither a file nor a folder; a snapshot has only these");
        }
    }

    private string Checked(string name)
    {
        var parts = name.TrimEnd('/').Split('/');
        var isPlain = name.Length <= MaxNameLength
            && !name.StartsWith('/')
            && !name.Contains('\0', StringComparison.Ordinal)
            && !name.Contains('\\', StringComparison.Ordinal)
            && (name.StartsWith("./", StringComparison.Ordinal) ? parts[1..] : parts).All(IsPlain);
        return isPlain || name is "." or "./"
            ? name
            : throw Refused($"has an entry '{name}' that is not a path within the archive");
    }

    private static bool IsPlain(string part) => part is not ("" or "." or "..");

    private string FindRoot()
    {
        if (Directory.Exists(Path.Join(_folder, "sys")))
        {
            return _folder;
        }

        return Directory.GetDirectories(_folder) is [var only] && Directory.Exists(Path.Join(only, "sys"))
            ? only
            : throw Refused("has no folder sys, neither at its top nor in its only folder");
    }

    private ToolException Refused(string reason) => new($"'{_archive}' {reason}.");
}

/// <summary>Reads a stream up to a limit: a small archive may unpack to any size.</summary>
internal sealed class LimitedStream(Stream inner, long limit) : Stream
{
    private long _read;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => _read;
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        var read = inner.Read(buffer);
        _read += read;
        return _read <= limit ? read : throw new InvalidDataException($"it unpacks to more than {limit} bytes");
    }

    public override void Flush() => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
