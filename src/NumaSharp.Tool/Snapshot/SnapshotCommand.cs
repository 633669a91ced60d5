using System.CommandLine;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Snapshot;

/// <summary><c>numasharp snapshot</c>: the machine's shape in a small file, for <c>--root</c> and for bug reports.</summary>
internal static class SnapshotCommand
{
    public static Command Create(ToolConsole console)
    {
        var root = CommandOptions.Root();
        var output = new Option<string>("--output", "-o")
        {
            Description = "The archive to write; it must not exist.",
            HelpName = "FILE",
            DefaultValueFactory = static _ => "numasharp-snapshot.tar.gz",
        };
        var processId = CommandOptions.ProcessId(
            "--pid", "The process whose affinity and cgroups are captured; this one's when left out.");
        var command = new Command("snapshot", "Captures what the other commands read, without names or addresses.")
        {
            output, processId, root,
        };
        command.SetAction(result =>
            Run(console, result.GetValue(output)!, result.GetValue(root), result.GetValue(processId)));
        return command;
    }

    private static int Run(ToolConsole console, string output, string? root, int? processId)
    {
        using var machine = MachineSource.Open(root);
        var files = new SnapshotCapture(machine.Files, processId).Run();
        if (!files.Any(static file => file.Path.StartsWith("sys/devices/system/cpu/", StringComparison.Ordinal)))
        {
            throw new ToolException(machine.IsLive && !OperatingSystem.IsLinux()
                ? "numasharp snapshot of this machine needs Linux, which has /sys; --root names the files of another machine."
                : $"'{machine.SysfsRoot}' has no devices/system/cpu to capture.");
        }

        SnapshotArchive.Write(output, files);
        console.Output.WriteLine(
            $"{output}: {ToolText.Number(files.Count)} files, {SizeText.Format(new FileInfo(output).Length)}. "
            + $"Check its content before you pass it on: tar -tvzf {output}");
        return ExitCodes.Success;
    }
}
