using System.ComponentModel;

namespace NumaSharp.TestKit;

/// <summary>A folder for one test; disposing of it deletes it.</summary>
public sealed class TemporaryFolder : IDisposable
{
    private const string Prefix = "numasharp-test-";
    private const string Memory = "/dev/shm";
    private const long EnoughMemory = 1L << 30;
    private const int EACCES = 13;

    private static readonly Lazy<string?> s_whyNoPrograms = new(FindWhyNoPrograms);
    private static readonly Lazy<string> s_onDisk = new(static () => WithoutOldFolders(System.IO.Path.GetTempPath()));
    private static readonly Lazy<string> s_inMemory =
        new(static () => HasMemory() ? WithoutOldFolders(Memory) : s_onDisk.Value);

    public TemporaryFolder()
        : this(s_onDisk.Value)
    {
    }

    private TemporaryFolder(string parent)
    {
        Path = System.IO.Path.Join(parent, Prefix + Guid.NewGuid().ToString("n"));
        _ = OperatingSystem.IsWindows()
            ? Directory.CreateDirectory(Path)
            : Directory.CreateDirectory(Path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    public string Path { get; }

    /// <summary>
    /// For a kernel's thousands of small files, from which no program is started: in memory (tmpfs(5)) where there is enough. On
    /// ext4, creating and deleting them took a quarter of the CPU time of NumaSharp.Tests.
    /// </summary>
    public static TemporaryFolder InMemory() => new(s_inMemory.Value);

    /// <summary>Deletes what tests left behind that were killed: no test takes a day.</summary>
    public static void DeleteOldFolders(string parent)
    {
        foreach (var folder in new DirectoryInfo(parent).EnumerateDirectories($"{Prefix}*"))
        {
            if (folder.LastWriteTimeUtc > DateTime.UtcNow.AddDays(-1))
            {
                continue;
            }

            try
            {
                // Of several programs that start at the same time, one can rename it.
                folder.MoveTo($"{folder.FullName}-old");
                folder.Delete(recursive: true);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Another program has it, or another user.
            }
        }
    }

    /// <summary>Skips where no program in such a folder can be started, as on a file system that is mounted noexec.</summary>
    public static void SkipUnlessProgramsRun() =>
        Assert.SkipWhen(s_whyNoPrograms.Value is not null, s_whyNoPrograms.Value ?? "");

    public string PathOf(string name) => System.IO.Path.Join(Path, name);

    /// <summary>Writes a program, a script that says what runs it.</summary>
    /// <returns>Its path.</returns>
    public string AddProgram(string name, string text)
    {
        var file = PathOf(name);
        File.WriteAllText(file, text);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return file;
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);

    private static bool HasMemory()
    {
        if (!OperatingSystem.IsLinux() || !Directory.Exists(Memory)
            || new DriveInfo(Memory) is not { DriveFormat: "tmpfs", AvailableFreeSpace: >= EnoughMemory })
        {
            return false;
        }

        try
        {
            new TemporaryFolder(Memory).Dispose();
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Mounted read-only, or not for this user.
            return false;
        }
    }

    private static string WithoutOldFolders(string parent)
    {
        DeleteOldFolders(parent);
        return parent;
    }

    private static string? FindWhyNoPrograms()
    {
        using var folder = new TemporaryFolder();
        var program = folder.AddProgram("program", "#!/bin/sh\n");
        try
        {
            // On another thread, because this blocks one of the few threads on which tests continue.
            Wait.For(Task.Run(() => ExternalProgram.TryAsync(program)));
            return null;
        }
        catch (Win32Exception exception)
        {
            // Any other failure is no reason to skip: the test that needs a program says what it is.
            return exception.NativeErrorCode == EACCES
                ? $"No program in {System.IO.Path.GetTempPath()} can be started (noexec?): {exception.Message}"
                : null;
        }
    }
}
