namespace NumaSharp.Tool.Run;

/// <summary>Finds a program as execvp(3) does, before starting a process.</summary>
internal static class CommandPath
{
    private const UnixFileMode AnyExecute = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    /// <summary>
    /// The path of a command, executable or not: executing it shows why it cannot be. <see langword="null"/> if nothing has that
    /// name.
    /// </summary>
    public static string? Find(string command, string? searchPath)
    {
        if (command.Contains('/', StringComparison.Ordinal))
        {
            return Path.Exists(command) ? command : null;
        }

        // An empty entry is the current directory (execvp(3)).
        string[] paths =
        [
            .. (searchPath ?? "/bin:/usr/bin").Split(':')
                .Select(folder => Path.Combine(folder.Length == 0 ? "." : folder, command))
                .Where(File.Exists),
        ];
        return Array.Find(paths, IsExecutable) ?? paths.FirstOrDefault();
    }

    private static bool IsExecutable(string path) =>
        !OperatingSystem.IsWindows() && (File.GetUnixFileMode(path) & AnyExecute) != 0;
}
