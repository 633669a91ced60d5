using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;
using NumaSharp.Interop;

namespace NumaSharp.Core.Topology;

/// <summary>
/// Reads small kernel files below one directory. Never waits (a FIFO in place of a file reads as empty), never reads more
/// than a limit, throws for nothing that the file system holds but its size: a reading that is over its budget.
/// Reads are synchronous: the kernel answers from memory.
/// </summary>
internal sealed class SysfsReader(string root, ReadingBudget budget)
{
    /// <summary>Far above a mask of the widest kernel (NR_CPUS 8192: 2.3 KB).</summary>
    public const int DefaultLimit = 256 * 1024;

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

    /// <summary>Reads a file as Latin-1 without white space and NULs around it: some kernels print a NUL at the end.</summary>
    public FileReading Read(string relative, int limit = DefaultLimit)
    {
        var path = PathOf(relative);
        budget.Access(path);
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            return FileReading.Failed(path, FileProblem.Missing, "the path has a NUL");
        }

        try
        {
            var opened = Open(path, out var handle);
            if (handle is null)
            {
                return opened;
            }

            using (handle)
            {
                return ReadAll(path, handle, limit);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return FileReading.Failed(path, ProblemOf(e), $"cannot be read ({e.GetType().Name})");
        }
    }

    /// <summary>The numbers of the entries that are called <paramref name="prefix"/> and a number, ascending.</summary>
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

    private static FileReading Open(string path, out SafeFileHandle? handle)
    {
        if (!OperatingSystem.IsLinux())
        {
            handle = File.OpenHandle(path);
            return default;
        }

        var result = Native.OpenReadOnly(path);
        handle = result.Succeeded ? new SafeFileHandle(result.Value, ownsHandle: true) : null;
        return result.Errno switch
        {
            0 => default,
            Errno.ENOENT => FileReading.Failed(path, FileProblem.Missing, "does not exist"),
            Errno.ELOOP => FileReading.Failed(path, FileProblem.LinkLoop, "is a loop of links"),
            _ => FileReading.Failed(path, FileProblem.Unreadable, $"cannot be opened ({result.ErrorName})"),
        };
    }

    private FileReading ReadAll(string path, SafeFileHandle handle, int limit)
    {
        var buffer = new byte[4096];
        var length = 0;
        while (true)
        {
            var read = RandomAccess.Read(handle, buffer.AsSpan(length), length);
            if (read == 0)
            {
                break;
            }

            length += read;
            budget.Take(path, read);
            if (length > limit)
            {
                return FileReading.Failed(path, FileProblem.TooLarge, $"is larger than {limit} bytes");
            }

            if (length == buffer.Length)
            {
                Array.Resize(ref buffer, Math.Min(buffer.Length * 2, limit + 1));
            }
        }

        return FileReading.Of(path, Encoding.Latin1.GetString(buffer.AsSpan(0, length)).Trim(' ', '\t', '\n', '\r', '\0'));
    }

    private static FileProblem ProblemOf(Exception exception) =>
        exception is FileNotFoundException or DirectoryNotFoundException ? FileProblem.Missing : FileProblem.Unreadable;
}
