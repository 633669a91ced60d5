using System.CommandLine;
using System.Text.Json.Serialization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Plan;

/// <summary><c>numasharp plan</c>: what AddNuma() would do with settings on a machine; changes nothing.</summary>
internal static class PlanCommand
{
    public static Command Create(ToolConsole console)
    {
        var format = CommandOptions.Choice<PlanFormat>(
            "--format", "What to write: text for people, json for programs, markdown for reviews.", "-f");
        var root = CommandOptions.Root();
        var diff = new Option<string[]>("--diff")
        {
            Description = "Compares two plans that --format json has written instead; exits with 1 if they differ.",
            HelpName = "BEFORE AFTER",
            Arity = new ArgumentArity(2, 2),
            AllowMultipleArgumentsPerToken = true,
        };
        var settings = new SettingsArgument();
        var command = new Command("plan", "Shows what AddNuma() would do with an application's settings.") { format, root, diff };
        settings.AddTo(command);
        command.SetAction(result =>
        {
            if (result.GetResult(diff) is not { Implicit: false })
            {
                return Run(console, settings, result, result.GetValue(root), result.GetValue(format));
            }

            // The arity is that of each time that the option is given.
            return result.GetValue(diff) is [var before, var after]
                && result.GetValue(root) is null && !settings.IsGiven(result)
                    ? Compare(console, before, after, result.GetValue(format))
                    : throw new ToolException("--diff compares two files: it takes no others, no settings and no --root.");
        });
        return command;
    }

    private static int Run(
        ToolConsole console, SettingsArgument settings, ParseResult result, string? root, PlanFormat format)
    {
        using var machine = MachineSource.Open(root);
        var host = PlannedHost.Create(settings.Read(result), machine);
        switch (format)
        {
            case PlanFormat.Json:
                console.WriteJson(PlanDocument.Of(host), PlanJson.Default.PlanDocument);
                break;
            case PlanFormat.Markdown:
                PlanView.WriteMarkdown(console.Output, host);
                break;
            default:
                PlanView.Write(console.Screen, host);
                break;
        }

        return ExitCodes.Success;
    }

    private static int Compare(ToolConsole console, string before, string after, PlanFormat format)
    {
        var changes = PlanDiff.Compare(PlanFile.Read(before), PlanFile.Read(after));
        switch (format)
        {
            case PlanFormat.Json:
                console.WriteJson(new PlanDiffDocument(changes), PlanJson.Default.PlanDiffDocument);
                break;
            case PlanFormat.Markdown:
                PlanView.WriteMarkdown(console.Output, changes);
                break;
            default:
                PlanView.Write(console.Screen, changes);
                break;
        }

        return changes.Count == 0 ? ExitCodes.Success : ExitCodes.Findings;
    }
}

/// <summary>The output of the command.</summary>
internal enum PlanFormat
{
    Text,
    Json,
    Markdown,
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    UseStringEnumConverter = true,
    Converters = [typeof(CpuSetJsonConverter)])]
[JsonSerializable(typeof(PlanDocument))]
[JsonSerializable(typeof(PlanDiffDocument))]
internal sealed partial class PlanJson : JsonSerializerContext;

/// <summary>The output of <c>plan --format json</c> (docs/guide/tool.md).</summary>
internal sealed record PlanDocument(
    string Source,
    bool Enabled,
    string BindMode,
    string Transport,
    CpuSet Cpus,
    IReadOnlyList<NumaNodePlan> Nodes,
    IReadOnlyList<string> Notes)
{
    public static PlanDocument Of(PlannedHost host) => new(
        host.Plan.Topology.Source,
        host.Plan.IsEnabled,
        host.Plan.BindMode.ToString(),
        host.Transport,
        host.Plan.Cpus,
        host.Plan.Nodes,
        [.. host.Notes()]);
}
