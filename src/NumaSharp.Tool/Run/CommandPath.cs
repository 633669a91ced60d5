namespace NumaSharp.Tool.Run;

/// <summary>Finds a program as execvp(3) does, before anything is started.</summary>
internal static class CommandPath
{
    private const UnixFileMode AnyExecute = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    /// <summary>The path of a command; <see langword="null"/> when there is no such program.</summary>
    public static string? Find(string command, string? searchPath)
    {
        if (command.Contains('/', StringComparison.Ordinal))
        {
            return File.Exists(command) ? command : null;
        }

        // An empty entry is the current directory (execvp(3)).
        return (searchPath ?? "/bin:/usr/bin").Split(':')
            .Select(folder => Path.Combine(folder.Length == 0 ? "." : folder, command))
            .FirstOrDefault(static path => File.Exists(path) && IsExecutable(path));
    }

    private static bool IsExecutable(string path) =>
        !OperatingSystem.IsWindows() && (File.GetUnixFileMode(path) & AnyExecute) != 0;
}
