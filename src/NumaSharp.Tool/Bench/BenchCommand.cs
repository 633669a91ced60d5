using System.CommandLine;
using NumaSharp.Core;
using NumaSharp.Tool.Bench.Http;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Matrix;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Bench;

/// <summary><c>numasharp bench</c> (docs/guide/bench.md).</summary>
internal sealed class BenchCommand
{
    private readonly Option<bool> _quick = new("--quick") { Description = "Every row, in shorter runs." };

    private readonly Option<string?> _filter = new("--filter")
    {
        Description = "Only rows whose name contains the text.",
        HelpName = "TEXT",
    };

    private readonly Option<OutputFormat> _format = CommandOptions.Format();

    /// <summary>Creates the command.</summary>
    /// <param name="console">Receives results and progress.</param>
    /// <param name="platform">The machine to measure; called when the command runs.</param>
    public static Command Create(ToolConsole console, Func<NumaPlatform> platform) =>
        new BenchCommand().CreateCommand(console, platform);

    /// <summary>The rows whose name contains the text; all without one.</summary>
    /// <exception cref="ToolException">There is none.</exception>
    internal static BenchRow[] Choose(IReadOnlyList<BenchRow> rows, string? filter)
    {
        BenchRow[] chosen = [.. rows.Where(row => row.Name.Contains(filter ?? "", StringComparison.OrdinalIgnoreCase))];
        return chosen.Length > 0
            ? chosen
            : throw new ToolException(
                $"--filter '{filter}': no row has this in its name; rows are "
                + $"{string.Join(", ", rows.Select(static row => row.Name))}.");
    }

    private Command CreateCommand(ToolConsole console, Func<NumaPlatform> platform)
    {
        var bench = new Command("bench", "Compares NumaSharp with what .NET has, on this machine.") { _quick, _filter, _format };
        bench.SetLongAction((parsed, cancellation) => RunAsync(
            console,
            platform,
            Choose(BenchRows.All, parsed.GetValue(_filter)),
            parsed.GetValue(_quick) ? BenchLengths.Quick : BenchLengths.Full,
            parsed.GetValue(_format),
            cancellation));
        return bench;
    }

    private static async Task<int> RunAsync(
        ToolConsole console,
        Func<NumaPlatform> platform,
        BenchRow[] rows,
        BenchLengths lengths,
        OutputFormat format,
        CancellationToken cancellation)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new ToolException("numasharp bench needs Linux: elsewhere there is no epoll, and no CPU clock of a process.");
        }

        var machine = platform();
        var context = new BenchContext(machine, machine.Topology.Read(), lengths, LauncherProgram.Self, cancellation);
        var before = BenchMachine.Read(
            context.Topology, new TreeReader("/"), Environment.GetEnvironmentVariables(), context.Time);
        var results = await MatrixProgress.RunAsync(
            console.ErrorScreen, rows.Length, progress => new BenchRun(context).MeasureAsync(rows, progress));
        Write(console, BenchDocument.Of(before, context, results), format);
        return ExitCodes.Success;
    }

    /// <exception cref="ToolException">Nothing could be measured.</exception>
    internal static void Write(ToolConsole console, BenchDocument document, OutputFormat format)
    {
        if (document.Rows.All(static row => row.Reason is not null))
        {
            throw new ToolException($"Nothing could be measured. {document.Rows[0].Name}: {document.Rows[0].Reason}");
        }

        if (format == OutputFormat.Json)
        {
            console.WriteJson(document, BenchJson.Default.BenchDocument);
        }
        else
        {
            BenchText.Write(console.Screen, document);
        }
    }
}

/// <summary>All rows, in the order in which they are shown.</summary>
internal static class BenchRows
{
    public static BenchRow[] All { get; } = [.. HttpRows.All, .. MemoryRows.All, .. SchedulerRows.All];
}
