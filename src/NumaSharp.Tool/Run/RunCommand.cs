using System.CommandLine;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary><c>numasharp run --per-node -- COMMAND ARGS</c> (docs/guide/run.md).</summary>
internal static class RunCommand
{
    public const string Name = "run";

    public static Command Create()
    {
        var command = new Argument<string[]>("COMMAND")
        {
            Description = "The program and its arguments, after '--'.",
            Arity = ArgumentArity.OneOrMore,
        };
        var perNode = new Option<bool>("--per-node") { Description = "One process per node with CPUs; required." };
        var nodes = CommandOptions.KernelList(
            "--nodes", "Only these nodes, as a kernel list such as 0-1,3. Default: all that may be used.");
        var memory = new Option<NodeMemoryPolicy>("--memory")
        {
            Description = "Preferred: the node's memory first. Strict: nothing but the node's memory.",
        };
        var restart = new Option<bool>("--restart") { Description = "Start a process again that failed." };
        var delay = CommandOptions.Seconds("--restart-delay", 1, "The first wait before a restart; it doubles each time.");
        var limit = CommandOptions.Seconds(
            "--restart-max", 60, "The longest wait before a restart; a run as long makes waits begin anew.");
        var stop = CommandOptions.Seconds(
            "--stop-timeout", 30, "How long processes have to end after a signal; then they are killed.");
        var noGc = new Option<bool>("--no-gc-settings") { Description = "Do not limit the GC's heaps to the node's memory." };
        var dryRun = new Option<bool>("--dry-run") { Description = "Print what would be run, per node." };

        var run = new Command(Name, "Runs one process per node, bound to it, and supervises them.")
        {
            perNode, nodes, memory, restart, delay, limit, stop, noGc, dryRun, command,
        };
        run.Validators.Add(result =>
        {
            if (!result.GetValue(perNode))
            {
                result.AddError("numasharp run needs --per-node: it starts one process per node.");
            }
        });
        run.SetAction((parsed, _) => RunAsync(
            new RunOptions(
                parsed.GetRequiredValue(command),
                parsed.GetValue(nodes),
                parsed.GetValue(memory),
                new SupervisorOptions
                {
                    Restart = parsed.GetValue(restart),
                    RestartDelay = TimeSpan.FromSeconds(parsed.GetValue(delay)),
                    RestartLimit = TimeSpan.FromSeconds(Math.Max(parsed.GetValue(limit), parsed.GetValue(delay))),
                    StopTimeout = TimeSpan.FromSeconds(parsed.GetValue(stop)),
                },
                !parsed.GetValue(noGc),
                parsed.GetValue(dryRun)),
            parsed.InvocationConfiguration.Output,
            parsed.InvocationConfiguration.Error));
        return run;
    }

    private static async Task<int> RunAsync(RunOptions options, TextWriter output, TextWriter error)
    {
        if (!OperatingSystem.IsLinux())
        {
            await error.WriteLineAsync("numasharp run needs Linux: elsewhere a process cannot be bound before it starts.");
            return ExitCodes.Unusable;
        }

        if (CommandPath.Find(options.Command[0], Environment.GetEnvironmentVariable("PATH")) is not { } path)
        {
            await error.WriteLineAsync($"'{options.Command[0]}' is not a program, nor is there one of that name on PATH.");
            return ExitCodes.CommandNotFound;
        }

        IReadOnlyList<NodeProcess> nodes;
        try
        {
            nodes = PlanProcesses(options);
        }
        catch (NumaException exception)
        {
            await error.WriteLineAsync(exception.Message);
            return ExitCodes.Unusable;
        }

        var command = new NodeCommand(LauncherProgram.Self, path, options.Command);
        if (options.IsDryRun)
        {
            RunPlanText.Write(output, nodes, command);
            return ExitCodes.Success;
        }

        using var standardOutput = Console.OpenStandardOutput();
        using var standardError = Console.OpenStandardError();
        using var supervisor = new Supervisor(
            command, options.Supervision, new OutputLines(standardOutput, standardError), TimeProvider.System);
        using var signals = new ForwardedSignals(supervisor, hasTerminal: !Console.IsInputRedirected);
        return await supervisor.RunAsync(nodes);
    }

    private static IReadOnlyList<NodeProcess> PlanProcesses(RunOptions options) => NodeProcesses.From(
        NumaPlan.Create(NumaPlatform.Default.Topology.Read(), new NumaPlanRequest { Nodes = options.Nodes }),
        options.Policy,
        GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        options.SetGcLimits,
        Environment.GetEnvironmentVariable);
}
