using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Interop;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>
/// The short life of a child before it becomes the program: it places itself and calls execve(2), which keeps the calling
/// thread's CPUs and memory policy (sched(7), set_mempolicy(2)). Why this takes its own process:
/// docs/decisions/0013-process-per-node.md.
/// </summary>
internal static class NodeLauncher
{
    /// <summary>The only argument of a launcher; internal.</summary>
    public const string Verb = "exec-on-node";

    private const string Shell = "/bin/sh";

    /// <summary>Becomes the program.</summary>
    /// <returns>The exit code, if that failed.</returns>
    public static int Run(Stream input, TextWriter error)
    {
        LaunchSpec spec;
        try
        {
            spec = LaunchSpec.Read(input);
        }
        catch (EndOfStreamException)
        {
            error.WriteLine($"numasharp: '{Verb}' is only for 'numasharp run'.");
            return ExitCodes.Unusable;
        }

        return Prepare(spec, error) ? Become(spec, error) : ExitCodes.CannotPlace;
    }

    private static bool Prepare(LaunchSpec spec, TextWriter error)
    {
        // Its own group: a terminal's Ctrl-C then reaches it once, forwarded by the parent. The death signal covers a parent that
        // can forward nothing any more; getppid(2) shows whether the parent ended before that was set.
        var isPlaced = Check(ProcessCalls.LeadOwnGroup(), "setpgid", error)
            && Check(ProcessCalls.SetParentDeathSignal(ProcessCalls.SIGTERM), "prctl(PR_SET_PDEATHSIG)", error)
            && Place(spec, error);
        if (!isPlaced || ProcessCalls.GetParentProcessId() != spec.ParentId)
        {
            return false;
        }

        // The runtime ignores SIGPIPE, which the program would inherit.
        return Check(ProcessCalls.ResetSignal(ProcessCalls.SIGPIPE), "signal", error)
            && Check(ProcessCalls.UnblockSignals(), "sigprocmask", error)
            && Check(ProcessCalls.EmptyStandardInput(), "opening /dev/null", error);
    }

    // On the main thread of a process that becomes the program or ends: no other managed code will run on this mask.
    private static bool Place(LaunchSpec spec, TextWriter error)
    {
        var pinned = new LinuxAffinityProvider().SetThreadCpus(spec.Cpus);
        if (!pinned.Succeeded)
        {
            error.WriteLine($"numasharp: sched_setaffinity to CPUs {spec.Cpus} failed: {pinned.ErrorName}.");
            return false;
        }

        var mode = spec.Policy == NodeMemoryPolicy.Strict ? Native.MPOL_BIND : Native.MPOL_PREFERRED;
        var bound = ProcessCalls.SetMemoryPolicy(mode, CpuSet.FromIds(spec.MemoryNodeId).AsWords());
        if (bound.Succeeded)
        {
            return true;
        }

        var refusal = $"numasharp: set_mempolicy to node {spec.MemoryNodeId} failed: {bound.ErrorName}";
        if (spec.Policy == NodeMemoryPolicy.Strict)
        {
            error.WriteLine($"{refusal}. Use --memory preferred to start without it.");
            return false;
        }

        error.WriteLine($"{refusal}. Memory comes from the node of the CPUs while it has some.");
        return true;
    }

    private static int Become(LaunchSpec spec, TextWriter error)
    {
        var result = ProcessCalls.Execute(spec.Path, spec.Arguments, spec.Environment);
        if (result.Errno == Errno.ENOEXEC)
        {
            // The shell runs a script without #!, as with execvp(3).
            result = ProcessCalls.Execute(Shell, [Shell, spec.Path, .. spec.Arguments.Skip(1)], spec.Environment);
        }

        error.WriteLine($"numasharp: '{spec.Path}' cannot be started: {result.ErrorName}.");
        return result.Errno == Errno.ENOENT ? ExitCodes.CommandNotFound : ExitCodes.CommandNotExecutable;
    }

    private static bool Check(SysResult result, string operation, TextWriter error)
    {
        if (!result.Succeeded)
        {
            error.WriteLine($"numasharp: {operation} failed: {result.ErrorName}.");
        }

        return result.Succeeded;
    }
}

/// <summary>How to start this program again, with a verb that is not a command: as a launcher, or as a server of bench.</summary>
/// <param name="FileName">The program: this one, or the dotnet host.</param>
/// <param name="Arguments">The arguments before the verb: this assembly if the host needs it.</param>
internal sealed record LauncherProgram(string FileName, IReadOnlyList<string> Arguments)
{
    // It is .NET, too: settings meant for the user's programs (profilers, start-up hooks, GC) would affect it. Only the
    // variables needed to find the runtime and its libraries are passed on.
    private static readonly string[] s_kept = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DOTNET_BUNDLE_EXTRACT_BASE_DIR"];

    // DOTNET_ROOT_X64, one per architecture; DOTNET_ROLL_FORWARD_TO_PRERELEASE.
    private static readonly string[] s_keptPrefixes = ["DOTNET_ROOT", "DOTNET_ROLL_FORWARD"];

    /// <summary>This process's own program.</summary>
    public static LauncherProgram Self { get; } = new(
        Environment.ProcessPath!,
        Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? [Environment.GetCommandLineArgs()[0]] : []);

    /// <summary>With pipes for its input and output, and without the user's settings.</summary>
    /// <param name="words">The verb and its arguments.</param>
    public ProcessStartInfo CreateStartInfo(params string[] words)
    {
        var info = new ProcessStartInfo(FileName, [.. Arguments, .. words])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        Clean(info.Environment);
        info.Environment["DOTNET_EnableDiagnostics"] = "0";
        return info;
    }

    /// <summary>Removes all variables but those that find the runtime and its libraries.</summary>
    internal static void Clean(IDictionary<string, string?> environment)
    {
        foreach (var name in environment.Keys.Where(static name => !IsKept(name)).ToArray())
        {
            environment.Remove(name);
        }
    }

    private static bool IsKept(string name) =>
        s_kept.Contains(name, StringComparer.Ordinal)
        || s_keptPrefixes.Any(prefix => name.StartsWith(prefix, StringComparison.Ordinal));
}
