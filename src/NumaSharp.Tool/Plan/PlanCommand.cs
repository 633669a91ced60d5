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
        var format = CommandOptions.Format();
        var root = CommandOptions.Root();
        var settings = new SettingsArgument();
        var command = new Command("plan", "Shows what AddNuma() would do with an application's settings.") { format, root };
        settings.AddTo(command);
        command.SetAction(result => Run(console, settings, result, result.GetValue(root), result.GetValue(format)));
        return command;
    }

    private static int Run(
        ToolConsole console, SettingsArgument settings, ParseResult result, string? root, OutputFormat format)
    {
        using var machine = MachineSource.Open(root);
        var host = PlannedHost.Create(settings.Read(result), machine);
        if (format == OutputFormat.Json)
        {
            console.WriteJson(PlanDocument.Of(host), PlanJson.Default.PlanDocument);
        }
        else
        {
            PlanView.Write(console.Screen, host);
        }

        return ExitCodes.Success;
    }
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    UseStringEnumConverter = true,
    Converters = [typeof(CpuSetJsonConverter)])]
[JsonSerializable(typeof(PlanDocument))]
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
