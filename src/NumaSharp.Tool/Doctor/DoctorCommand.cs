using System.Collections;
using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Plan;

namespace NumaSharp.Tool.Doctor;

/// <summary><c>numasharp doctor</c>: problems of this machine with these settings, and what to do.</summary>
internal static class DoctorCommand
{
    public static Command Create(ToolConsole console)
    {
        var format = CommandOptions.Format();
        var root = CommandOptions.Root();
        var settings = new SettingsArgument();
        var app = new Option<string?>("--app")
        {
            Description = "The application, its runtimeconfig.json or its folder, for its garbage collector's settings. By "
                + "default the only one in the current folder.",
            HelpName = "PATH",
        };
        var kubernetes = new Option<bool>("--kubernetes")
        {
            Description = "Also check whether the kubelet gave this pod CPUs and memory of one node.",
        };
        var measure = new Option<bool>("--measure")
        {
            Description = "Also measure, for some seconds, what pinning gains here and how far other nodes' memory is. Other "
                + "programs wait for CPUs meanwhile.",
        };
        var failOn = CommandOptions.Choice<FailThreshold>("--fail-on", "Exit with 1 if a finding is at least this severe.");
        failOn.DefaultValueFactory = static _ => FailThreshold.Warning;
        var command = new Command("doctor", "Finds problems: cpusets, refused calls, kernel, GC and network settings.")
        {
            format, root, app, kubernetes, measure, failOn,
        };
        settings.AddTo(command);
        command.SetLongAction(async (result, cancellation) =>
        {
            using var machine = MachineSource.Open(result.GetValue(root));
            if (result.GetValue(measure) && !machine.IsLive)
            {
                throw new ToolException("--measure cannot be combined with --root: only this machine can be measured.");
            }

            var host = PlannedHost.Create(settings.Read(result), machine);
            var context = CreateContext(machine, host, result.GetValue(app), result.GetValue(kubernetes));
            if (result.GetValue(measure))
            {
                context = context with
                {
                    Measured = await Measurements.TakeAsync(ThisMachine.Platform, host.Plan, cancellation),
                };
            }

            var diagnosis = Diagnosis.Of(context);
            Write(console, diagnosis, result.GetValue(format));
            return diagnosis.IsAtLeast(ThresholdOf(result.GetValue(failOn))) ? ExitCodes.Findings : ExitCodes.Success;
        });
        return command;
    }

    private static CheckContext CreateContext(MachineSource machine, PlannedHost host, string? app, bool isInPod)
    {
        var (application, gc) = ReadApplication(machine, app);
        return new CheckContext
        {
            Files = machine.Files,
            Plan = host.Plan,
            Options = host.Options,
            Application = application,
            Gc = gc,
            Processors = machine.IsLive ? ManagedHeapSettings.Processors : 0,
            Pod = isInPod
                ? PodCgroup.Read(machine.Files, machine.IsLive ? Environment.GetEnvironmentVariable : static _ => null)
                : null,
            Probe = machine.IsLive ? new SystemProbe(ThisMachine.Platform) : null,
        };
    }

    // What is in the current folder runs on this machine, not on one that was captured elsewhere.
    private static (ApplicationFiles Files, GcSettings Gc) ReadApplication(MachineSource machine, string? app)
    {
        var variables = machine.IsLive ? Variables() : [];
        if (app is not null || !machine.IsLive)
        {
            var named = app is null ? ApplicationFiles.None : ApplicationFiles.Named(app);
            return (named, GcSettings.Read(variables, named.RuntimeConfig));
        }

        var found = ApplicationFiles.FoundFrom(".", AppContext.BaseDirectory);
        try
        {
            return (found, GcSettings.Read(variables, found.RuntimeConfig));
        }
        catch (Exception exception) when (exception is ToolException or IOException or UnauthorizedAccessException)
        {
            return (found.WithoutConfig(exception.Message), GcSettings.Read(variables, runtimeConfig: null));
        }
    }

    private static IEnumerable<KeyValuePair<string, string>> Variables() =>
        Environment.GetEnvironmentVariables()
            .Cast<DictionaryEntry>()
            .Select(static entry => KeyValuePair.Create((string)entry.Key, (string?)entry.Value ?? ""));

    private static void Write(ToolConsole console, Diagnosis diagnosis, OutputFormat format)
    {
        if (format == OutputFormat.Json)
        {
            console.WriteJson(diagnosis, DoctorJson.Default.Diagnosis);
        }
        else
        {
            DoctorView.Write(console.Screen, diagnosis);
        }
    }

    private static Severity? ThresholdOf(FailThreshold failOn) => failOn switch
    {
        FailThreshold.Info => Severity.Info,
        FailThreshold.Warning => Severity.Warning,
        FailThreshold.Error => Severity.Error,
        _ => null,
    };
}

/// <summary>The values of <c>--fail-on</c>.</summary>
internal enum FailThreshold
{
    Info,
    Warning,
    Error,
    Never,
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    Converters = [typeof(SeverityJsonConverter)])]
[JsonSerializable(typeof(Diagnosis))]
internal sealed partial class DoctorJson : JsonSerializerContext;

/// <summary>Reads and writes severities in lower case, as <c>--fail-on</c> takes them.</summary>
internal sealed class SeverityJsonConverter()
    : JsonStringEnumConverter<Severity>(JsonNamingPolicy.CamelCase, allowIntegerValues: false);
