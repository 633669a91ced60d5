using System.Globalization;
using Microsoft.Win32.SafeHandles;
using NumaSharp.Interop;

namespace NumaSharp.Core.Linux;

/// <summary>
/// Reads small kernel files below one directory. Never blocks (a FIFO in place of a file reads as empty), never reads more than a
/// limit, and throws only when a reading exceeds its budget. Reads are synchronous: the kernel answers from memory.
/// </summary>
internal sealed class SysfsReader(string root, ReadingBudget budget)
{
    private const int MaxEntries = 1 << 16;

    public string Root { get; } = Path.GetFullPath(root);

    public bool Exists => Directory.Exists(Root);

    public string PathOf(string relative) => Path.Join(Root, relative);

    public bool DirectoryExists(string relative)
    {
        var path = PathOf(relative);
        budget.Access(path);
        return Directory.Exists(path);
    }

    /// <summary>Reads a file as Latin-1 without white space and NULs around it.</summary>
    public FileReading Read(string relative, int limit = KernelFile.DefaultLimit)
    {
        var path = PathOf(relative);
        budget.Access(path);
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            return FileReading.Failed(path, FileProblem.Missing, "the path has a NUL");
        }

        try
        {
            var opened = KernelFile.Open(path, out var handle);
            using (handle)
            {
                return handle is null ? Refused(path, opened) : ReadAll(path, handle, limit);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return FileReading.Failed(path, ProblemOf(e), $"cannot be read ({e.GetType().Name})");
        }
    }

    /// <summary>The numbers of the entries named <paramref name="prefix"/> and a number, ascending.</summary>
    public IReadOnlyList<int> ListNumbered(string relative, string prefix)
    {
        var numbers = new SortedSet<int>();
        foreach (var name in ListNames(relative))
        {
            if (name.StartsWith(prefix, StringComparison.Ordinal)
                && int.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                && number <= CpuSet.MaxId)
            {
                numbers.Add(number);
            }
        }

        return [.. numbers];
    }

    /// <summary>The names in a directory; none when it cannot be read.</summary>
    public IReadOnlyList<string> ListNames(string relative)
    {
        var folder = PathOf(relative);
        budget.Access(folder);
        var names = new List<string>();
        try
        {
            foreach (var path in Directory.EnumerateFileSystemEntries(folder).Take(MaxEntries))
            {
                budget.Access(folder);
                names.Add(Path.GetFileName(path));
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }

        return names;
    }

    private static FileReading Refused(string path, SysResult opened) => opened.Errno switch
    {
        Errno.ENOENT => FileReading.Failed(path, FileProblem.Missing, "does not exist"),
        Errno.ELOOP => FileReading.Failed(path, FileProblem.LinkLoop, "is a loop of symbolic links"),
        _ => FileReading.Failed(path, FileProblem.Unreadable, $"cannot be opened ({opened.ErrorName})"),
    };

    private FileReading ReadAll(string path, SafeFileHandle handle, int limit)
    {
        var bytes = KernelFile.Read(handle, limit);
        budget.Take(path, bytes.Length);
        return bytes.Length > limit
            ? FileReading.Failed(path, FileProblem.TooLarge, $"is larger than {limit} bytes")
            : FileReading.Of(path, KernelFile.TextOf(bytes));
    }

    private static FileProblem ProblemOf(Exception exception) =>
        exception is FileNotFoundException or DirectoryNotFoundException ? FileProblem.Missing : FileProblem.Unreadable;
}

/// <summary>
/// The limits of one reading of a machine: several times what the widest kernel can show (8192 CPUs, 1024 nodes), so that a
/// hostile tree, with links that lead to the same large folder a thousand times, ends in an error within seconds.
/// </summary>
internal sealed class ReadingBudget
{
    public const int MaxAccesses = 1 << 19;
    public const long MaxBytes = 1L << 28;

    /// <summary>How many files, folders and entries of folders were looked at.</summary>
    public int Accesses { get; private set; }

    public long Bytes { get; private set; }

    public void Access(string path)
    {
        if (++Accesses > MaxAccesses)
        {
            throw new NumaTopologyException(
                path, $"more than {MaxAccesses} files and entries", "a machine with 8192 CPUs and 1024 nodes has fewer");
        }
    }

    public void Take(string path, int bytes)
    {
        Bytes += bytes;
        if (Bytes > MaxBytes)
        {
            throw new NumaTopologyException(
                path, $"more than {MaxBytes} bytes in all files", "a machine with 8192 CPUs and 1024 nodes shows fewer");
        }
    }
}

/// <summary>The text of a kernel file, or why there is none.</summary>
internal readonly record struct FileReading(string Path, string Text, FileProblem Problem, string Reason)
{
    public bool Succeeded => Problem == FileProblem.None;

    public bool IsMissing => Problem == FileProblem.Missing;

    /// <summary>The content of the file, or why there is none.</summary>
    public string Value => !Succeeded ? Reason : Text.Length == 0 ? "(empty)" : NumaTopologyException.Quote(Text);

    public static FileReading Of(string path, string text) => new(path, text, FileProblem.None, "");

    public static FileReading Failed(string path, FileProblem problem, string reason) => new(path, "", problem, reason);

    /// <summary>Why the file cannot be used.</summary>
    public string Describe() => Succeeded ? $"{Path}: '{Value}' cannot be used" : $"{Path} {Reason}";
}

/// <summary>Why a kernel file gave no text.</summary>
internal enum FileProblem
{
    None,
    Missing,
    Unreadable,
    LinkLoop,
    TooLarge,
}
