using System.ComponentModel;

namespace NumaSharp.TestKit;

/// <summary>A folder for one test; disposing of it deletes it.</summary>
public sealed class TemporaryFolder : IDisposable
{
    private const int EACCES = 13;

    private static readonly Lazy<string?> s_whyNoPrograms = new(FindWhyNoPrograms);

    public string Path { get; } = Directory.CreateTempSubdirectory("numasharp-").FullName;

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
