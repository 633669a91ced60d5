using System.CommandLine;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Run;

/// <summary><c>numasharp run --per-node -- COMMAND ARGS</c> (docs/guide/run.md).</summary>
internal sealed class RunCommand
{
    public const string Name = "run";

    private readonly Argument<string[]> _command = new("COMMAND")
    {
        Description = "The program and its arguments, after '--'.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<bool> _perNode = new("--per-node") { Description = "One process per node with CPUs; required." };

    private readonly Option<CpuSet?> _nodes = CommandOptions.KernelList(
        "--nodes", "Only these nodes, as a kernel list such as 0-1,3. Default: all that may be used.");

    private readonly Option<NodeMemoryPolicy> _memory = CommandOptions.Choice<NodeMemoryPolicy>(
        "--memory", "preferred: the node's memory first. strict: nothing but the node's memory.");

    private readonly Option<bool> _restart = new("--restart") { Description = "Restart a process that fails." };

    private readonly Option<double> _restartDelay = CommandOptions.Seconds(
        "--restart-delay", 1, "The first wait before a restart; it doubles each time.");

    private readonly Option<double> _restartLimit = CommandOptions.Seconds(
        "--restart-max", 60, "The longest wait before a restart. A run that lasts this long resets the wait.");

    private readonly Option<double> _stopTimeout = CommandOptions.Seconds(
        "--stop-timeout", 30, "How long processes may take to exit after a signal; then they are killed.");

    private readonly Option<bool> _noGcSettings = new("--no-gc-settings")
    {
        Description = "Do not limit the GC's heaps to the node's memory.",
    };

    private readonly Option<bool> _dryRun = new("--dry-run") { Description = "Print what would be run, per node." };

    public static Command Create(ToolConsole console) => new RunCommand().CreateCommand(console);

    private Command CreateCommand(ToolConsole console)
    {
        var run = new Command(Name, "Runs one process per node, bound to it, and supervises them.")
        {
            _perNode, _nodes, _memory, _restart, _restartDelay, _restartLimit, _stopTimeout, _noGcSettings, _dryRun, _command,
        };
        run.Validators.Add(result =>
        {
            if (!result.GetValue(_perNode))
            {
                result.AddError("numasharp run needs --per-node: it starts one process per node.");
            }
        });
        run.SetAction((parsed, _) => RunAsync(console, Read(parsed)));
        return run;
    }

    private RunOptions Read(ParseResult parsed) => new(
        parsed.GetRequiredValue(_command),
        parsed.GetValue(_nodes),
        parsed.GetValue(_memory),
        new SupervisorOptions
        {
            Restart = parsed.GetValue(_restart),
            RestartDelay = TimeSpan.FromSeconds(parsed.GetValue(_restartDelay)),
            RestartLimit = TimeSpan.FromSeconds(Math.Max(parsed.GetValue(_restartLimit), parsed.GetValue(_restartDelay))),
            StopTimeout = TimeSpan.FromSeconds(parsed.GetValue(_stopTimeout)),
        },
        !parsed.GetValue(_noGcSettings),
        parsed.GetValue(_dryRun));

    private static async Task<int> RunAsync(ToolConsole console, RunOptions options)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new ToolException("numasharp run needs Linux: elsewhere a process cannot be bound before it starts.");
        }

        if (CommandPath.Find(options.Command[0], Environment.GetEnvironmentVariable("PATH")) is not { } path)
        {
            await console.Error.WriteLineAsync(
                $"'{options.Command[0]}' is not a program, and PATH has none of that name.");
            return ExitCodes.CommandNotFound;
        }

        var nodes = PlanProcesses(options);
        var command = new NodeCommand(LauncherProgram.Self, path, options.Command);
        if (!options.IsDryRun)
        {
            return await SuperviseAsync(nodes, command, options.Supervision);
        }

        RunPlanText.Write(console.Output, nodes, command);
        return ExitCodes.Success;
    }

    private static IReadOnlyList<NodeProcess> PlanProcesses(RunOptions options) => NodeProcesses.From(
        NumaPlan.Create(ThisMachine.Platform.Topology.Read(), new NumaPlanRequest { Nodes = options.Nodes }),
        options.Policy,
        GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        options.SetGcLimits,
        Environment.GetEnvironmentVariable);

    private static async Task<int> SuperviseAsync(
        IReadOnlyList<NodeProcess> nodes, NodeCommand command, SupervisorOptions options)
    {
        await using var output = new DescriptorStream(1);
        await using var error = new DescriptorStream(2);
        var lines = new OutputLines(output, error, DescriptorStream.AreSame(1, 2));
        using var supervisor = new Supervisor(command, options, lines, TimeProvider.System);
        using var signals = new ForwardedSignals(supervisor, hasTerminal: !Console.IsInputRedirected);
        return await supervisor.RunAsync(nodes);
    }
}

/// <summary>The command line of <c>run</c>.</summary>
internal sealed record RunOptions(
    IReadOnlyList<string> Command,
    CpuSet? Nodes,
    NodeMemoryPolicy Policy,
    SupervisorOptions Supervision,
    bool SetGcLimits,
    bool IsDryRun);

/// <summary>The output of --dry-run.</summary>
internal static class RunPlanText
{
    public static void Write(TextWriter output, IReadOnlyList<NodeProcess> nodes, NodeCommand command)
    {
        foreach (var node in nodes)
        {
            output.WriteLine(
                $"node {node.NodeId}: CPUs {node.Cpus}, memory of node {node.MemoryNodeId} "
                + (node.Policy == NodeMemoryPolicy.Strict ? "and no other" : "first"));
            foreach (var (name, value) in node.Environment.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
            {
                output.WriteLine($"  {name}={value}");
            }

            output.WriteLine($"  {command.Path} {string.Join(' ', command.Arguments.Skip(1).Select(ToolText.Quote))}".TrimEnd());
        }
    }
}

/// <summary>Forwards received signals to the children; none of them ends this process.</summary>
internal sealed class ForwardedSignals : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ForwardedSignals(Supervisor supervisor, bool hasTerminal)
    {
        // A terminal sends these to all processes running on it.
        Register(ProcessCalls.SIGINT, signal => supervisor.Stop(signal, toGroups: true));
        Register(ProcessCalls.SIGQUIT, signal => supervisor.Stop(signal, toGroups: true));
        Register(ProcessCalls.SIGTERM, signal => supervisor.Stop(signal));

        // The end of a terminal ends the processes on it; a service rereads its files on SIGHUP.
        Register(ProcessCalls.SIGHUP, hasTerminal
            ? signal => supervisor.Stop(signal, toGroups: true)
            : signal => supervisor.Forward(signal));
        Register(ProcessCalls.SIGUSR1, signal => supervisor.Forward(signal));
        Register(ProcessCalls.SIGUSR2, signal => supervisor.Forward(signal));

        // Ctrl-Z and fg: first the children, then this process.
        Register(ProcessCalls.SIGTSTP, signal =>
        {
            supervisor.Forward(signal, toGroups: true);
            _ = ProcessCalls.Kill(Environment.ProcessId, ProcessCalls.SIGSTOP);
        });
        Register(ProcessCalls.SIGCONT, signal => supervisor.Forward(signal, toGroups: true));
    }

    public void Dispose() => _registrations.ForEach(static registration => registration.Dispose());

    // The kernel's numbers: PosixSignal names some of them, and takes any.
    private void Register(int signal, Action<int> action) =>
        _registrations.Add(PosixSignalRegistration.Create((PosixSignal)signal, context =>
        {
            context.Cancel = true;
            action(signal);
        }));
}
