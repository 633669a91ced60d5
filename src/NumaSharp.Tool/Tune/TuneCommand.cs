using System.CommandLine;
using System.Numerics;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Plan;

namespace NumaSharp.Tool.Tune;

/// <summary><c>numasharp tune</c>: brings the queues of network interfaces to the nodes of the event loops.</summary>
internal sealed class TuneCommand
{
    private const int MaxFlowEntries = 1 << 29;

    private readonly ToolConsole _console;
    private readonly Option<OutputFormat> _format = CommandOptions.Format();
    private readonly Option<string?> _root = CommandOptions.Root();
    private readonly SettingsArgument _settings = new();
    private readonly Option<string[]> _interfaces = new("--interface", "-i")
    {
        Description = "An interface to tune; may be repeated. All with hardware behind them when left out.",
        HelpName = "NAME",
    };

    private readonly Option<bool> _rps = new("--rps")
    {
        Description = "Spread each queue's packets over its CPUs in software (RPS).",
    };

    private readonly Option<int?> _rfs = CommandOptions.Number(
        "--rfs", MaxFlowEntries, "The entries of the kernel's table of flows (RFS): a power of two, or 0 to switch it off.");

    private readonly Option<Switch> _adaptive = CommandOptions.Choice<Switch>(
        "--adaptive-rx", "Whether the device chooses how long it collects packets before it interrupts.");

    private readonly Option<int?> _microseconds = CommandOptions.Number(
        "--rx-usecs", 1_000_000, "How many microseconds the device collects packets before it interrupts.");

    private readonly Option<bool> _apply = new("--apply")
    {
        Description = "Change the settings, all or none, and write the old ones to the record. Needs root.",
    };

    private readonly Option<bool> _undo = new("--undo")
    {
        Description = "Change them back, as the record says.",
    };

    private readonly Option<bool> _script = new("--script")
    {
        Description = "Print the commands that change them, for a POSIX shell.",
    };

    private readonly Option<string> _record = new("--record")
    {
        Description = $"The record; {TuneRecord.DefaultPath} when left out.",
        HelpName = "FILE",
        DefaultValueFactory = static _ => TuneRecord.DefaultPath,
    };

    private TuneCommand(ToolConsole console) => _console = console;

    public static Command Create(ToolConsole console)
    {
        var tune = new TuneCommand(console);
        var command = new Command("tune", "Brings the queues of network interfaces to the CPUs of the event loops.")
        {
            tune._format, tune._root, tune._interfaces, tune._rps, tune._rfs, tune._adaptive, tune._microseconds,
            tune._apply, tune._undo, tune._script, tune._record,
        };
        tune._settings.AddTo(command);
        command.SetAction(tune.Run);
        return command;
    }

    private int Run(ParseResult result)
    {
        using var machine = MachineSource.Open(result.GetValue(_root));
        var (isApplied, isUndone, isScript) = (result.GetValue(_apply), result.GetValue(_undo), result.GetValue(_script));
        Check(machine, isApplied, isUndone, isScript, result.GetValue(_format) == OutputFormat.Json);
        var settings = new MachineSettings(machine.Files, machine.IsLive);
        var record = result.GetValue(_record)!;
        if (isUndone)
        {
            CheckAlone(result);
            return Undo(settings, record);
        }

        var host = PlannedHost.Create(_settings.Read(result), machine);
        var plan = new TunePlan(machine.Files, settings, host, RequestOf(result));
        if (isApplied)
        {
            return Apply(settings, plan, record);
        }

        if (isScript)
        {
            WriteNotes(plan);
            TuneView.WriteScript(_console.Output, plan);
        }
        else if (result.GetValue(_format) == OutputFormat.Json)
        {
            _console.WriteJson(TuneDocument.Of(plan), TuneJson.Default.TuneDocument);
        }
        else
        {
            TuneView.Write(_console.Screen, plan);
        }

        return ExitCodes.Success;
    }

    private static void Check(MachineSource machine, bool isApplied, bool isUndone, bool isScript, bool isJson)
    {
        if ((isApplied ? 1 : 0) + (isUndone ? 1 : 0) + (isScript ? 1 : 0) > 1)
        {
            throw new ToolException("--apply, --undo and --script exclude each other.");
        }

        if (machine.IsLive && !OperatingSystem.IsLinux())
        {
            throw new ToolException("numasharp tune of this machine needs Linux; --root names the files of another machine.");
        }

        if ((isApplied || isUndone || isScript) && isJson)
        {
            throw new ToolException("--format json is for what tune shows, not for --apply, --undo and --script.");
        }

        if ((isApplied || isUndone) && !machine.IsLive)
        {
            throw new ToolException("--root names the files of another machine: use --script there.");
        }
    }

    // It undoes all of a record.
    private void CheckAlone(ParseResult result)
    {
        if (RequestOf(result) is not { Interfaces: [], SpreadsReceives: false, FlowEntries: null, AdaptiveReceive: null }
            || result.GetValue(_microseconds) is not null)
        {
            throw new ToolException("--undo undoes all that the record has: no other option but --record counts.");
        }
    }

    private TuneRequest RequestOf(ParseResult result)
    {
        var entries = result.GetValue(_rfs);
        return entries is > 0 and var count && !BitOperations.IsPow2(count)
            ? throw new ToolException($"--rfs '{count}' must be a power of two, or 0: the kernel rounds it up otherwise.")
            : new TuneRequest(
                result.GetValue(_interfaces) ?? [],
                result.GetValue(_rps),
                entries,
                result.GetValue(_adaptive) is not Switch.Keep and var adaptive ? adaptive == Switch.On : null,
                result.GetValue(_microseconds));
    }

    private int Apply(MachineSettings settings, TunePlan plan, string path)
    {
        if (plan.Balancer is { } balancer)
        {
            throw new ToolException(balancer);
        }

        WriteNotes(plan);
        var record = new TuneRecord(plan.Changes);
        if (record.Changes.Count == 0)
        {
            _console.Output.WriteLine("Nothing to change.");
            return ExitCodes.Success;
        }

        record.Apply(settings, path);
        _console.Output.WriteLine(
            $"{ToolText.Number(record.Changes.Count)} settings changed; '{path}' has the old ones for numasharp tune --undo.");
        return ExitCodes.Success;
    }

    // Not in a pipe.
    private void WriteNotes(TunePlan plan)
    {
        foreach (var note in plan.Notes)
        {
            _console.Error.WriteLine(ToolText.OneLine(note));
        }
    }

    private int Undo(MachineSettings settings, string path)
    {
        var record = TuneRecord.Read(path);
        var left = record.Undo(settings);
        _console.Output.WriteLine(
            $"{ToolText.Number(record.Changes.Count - left.Count)} of {ToolText.Number(record.Changes.Count)} settings are as "
            + "they were.");
        if (left.Count == 0)
        {
            File.Delete(path);
            return ExitCodes.Success;
        }

        foreach (var line in left)
        {
            _console.Error.WriteLine(ToolText.OneLine($"Left alone: {line}."));
        }

        _console.Error.WriteLine($"'{path}' stays: it has the values from before. Delete it when you no longer need them.");
        return ExitCodes.Findings;
    }

    private enum Switch
    {
        Keep,
        On,
        Off,
    }
}
