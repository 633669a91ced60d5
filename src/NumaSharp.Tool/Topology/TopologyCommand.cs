using System.CommandLine;
using System.Text.Json.Serialization;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Topology;

/// <summary><c>numasharp topology</c>: the machine's resources, and those that a process may use.</summary>
internal static class TopologyCommand
{
    public static Command Create(ToolConsole console)
    {
        var format = CommandOptions.Format();
        var root = CommandOptions.Root();
        var command = new Command("topology", "Shows the machine: nodes, CPUs, caches, memory, distances, network devices.")
        {
            format, root,
        };
        command.SetAction(result => Run(console, result.GetValue(root), result.GetValue(format)));
        return command;
    }

    private static int Run(ToolConsole console, string? root, OutputFormat format)
    {
        using var machine = MachineSource.Open(root);
        var topology = machine.ReadTopology();
        if (format == OutputFormat.Json)
        {
            console.WriteJson(TopologyDocument.Of(topology), TopologyJson.Default.TopologyDocument);
        }
        else
        {
            TopologyView.Write(console.Screen, topology);
        }

        return ExitCodes.Success;
    }
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true, Converters = [typeof(CpuSetJsonConverter)])]
[JsonSerializable(typeof(TopologyDocument))]
internal sealed partial class TopologyJson : JsonSerializerContext;
