using System.Diagnostics;

namespace NumaSharp.Tool.Run;

/// <summary>How to start this program again, as a launcher.</summary>
/// <param name="FileName">The program: this one, or the dotnet host.</param>
/// <param name="Arguments">The arguments before the verb: this assembly if the host needs it.</param>
internal sealed record LauncherProgram(string FileName, IReadOnlyList<string> Arguments)
{
    // The launcher is .NET, too: settings meant for the program (profilers, start-up hooks, GC) would affect it. Only the
    // variables needed to find the runtime and its libraries are passed on.
    private static readonly string[] s_kept =
        ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DOTNET_ROOT", "DOTNET_ROOT_X64", "DOTNET_ROOT_ARM64"];

    /// <summary>This process's own program.</summary>
    public static LauncherProgram Self { get; } = new(
        Environment.ProcessPath!,
        Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? [Environment.GetCommandLineArgs()[0]] : []);

    public ProcessStartInfo CreateStartInfo()
    {
        var info = new ProcessStartInfo(FileName, [.. Arguments, NodeLauncher.Verb])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        info.Environment.Clear();
        foreach (var name in s_kept)
        {
            if (Environment.GetEnvironmentVariable(name) is { } value)
            {
                info.Environment[name] = value;
            }
        }

        info.Environment["DOTNET_EnableDiagnostics"] = "0";
        return info;
    }
}
