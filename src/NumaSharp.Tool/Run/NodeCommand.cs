using System.Collections;
using System.Globalization;

namespace NumaSharp.Tool.Run;

/// <summary>The command that runs on every node.</summary>
/// <param name="Launcher">Starts launchers.</param>
/// <param name="Path">The program.</param>
/// <param name="Arguments">Its arguments, starting with its name as the user gave it.</param>
internal sealed record NodeCommand(LauncherProgram Launcher, string Path, IReadOnlyList<string> Arguments)
{
    /// <summary>The launcher's input for a node.</summary>
    public LaunchSpec SpecFor(NodeProcess node) => new(
        Environment.ProcessId,
        node.Cpus,
        node.MemoryNodeId.Value,
        node.Policy,
        Path,
        Arguments,
        [.. EnvironmentFor(node).Select(static pair => $"{pair.Key}={pair.Value}")]);

    private static Dictionary<string, string> EnvironmentFor(NodeProcess node)
    {
        var environment = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (DictionaryEntry variable in Environment.GetEnvironmentVariables())
        {
            environment[(string)variable.Key] = Convert.ToString(variable.Value, CultureInfo.InvariantCulture) ?? "";
        }

        foreach (var (name, value) in node.Environment)
        {
            environment[name] = value;
        }

        return environment;
    }
}

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
