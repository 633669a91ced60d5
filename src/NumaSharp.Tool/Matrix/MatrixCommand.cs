using System.CommandLine;
using System.CommandLine.Parsing;
using NumaSharp.Core;
using Spectre.Console;

namespace NumaSharp.Tool.Matrix;

/// <summary><c>numasharp matrix</c> (docs/guide/matrix.md).</summary>
internal static class MatrixCommand
{
    private const string Json = "json";
    private const int MaxRepeat = 1000;

    /// <summary>Makes the command.</summary>
    /// <param name="platform">The machine to measure; called when the command runs.</param>
    public static Command Create(Func<NumaPlatform> platform)
    {
        var granularity = new Option<MatrixGranularity>("--granularity")
        {
            Description = "Measure from one CPU per node, from one per last-level cache, or from every CPU.",
        };
        var cpus = CommandOptions.KernelList(
            "--cpus", "Measure from these CPUs, as a kernel list such as 0-3,8.");
        var size = new Option<long?>("--size")
        {
            Description = "The buffer on each node, such as 512MiB. Default: several times the last-level cache.",
            HelpName = "SIZE",
            CustomParser = ParseSize,
        };
        var repeat = CommandOptions.Count("--repeat", 3, MaxRepeat, "Medians of this many.");
        var timeLimit = CommandOptions.Seconds("--time-limit", 60, "Begin no further cell after this time.");
        var format = new Option<string>("--format") { Description = "text or json.", DefaultValueFactory = static _ => "text" };
        format.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, "text", Json);

        var matrix = new Command("matrix", "Measures what every CPU gets from the memory of every node.")
        {
            granularity, cpus, size, repeat, timeLimit, format,
        };
        matrix.SetAction((parsed, cancellation) => RunAsync(
            platform(),
            new MatrixRequest
            {
                Granularity = parsed.GetValue(granularity),
                Cpus = parsed.GetValue(cpus),
                SizeBytes = parsed.GetValue(size),
                Repeat = parsed.GetValue(repeat),
                TimeLimit = TimeSpan.FromSeconds(parsed.GetValue(timeLimit)),
            },
            parsed.GetValue(format)!.Equals(Json, StringComparison.OrdinalIgnoreCase),
            parsed.InvocationConfiguration,
            cancellation));
        return matrix;
    }

    private static async Task<int> RunAsync(
        NumaPlatform platform,
        MatrixRequest request,
        bool isJson,
        InvocationConfiguration streams,
        CancellationToken cancellation)
    {
        try
        {
            var topology = platform.Topology.Read();
            var plan = MatrixPlan.Create(topology, request);
            var run = new MatrixRun(platform, topology, TimeProvider.System);
            var matrix = await MatrixProgress.RunAsync(
                ConsoleOn(streams.Error),
                plan.Rows.Length * plan.Columns.Length,
                progress => run.MeasureAsync(plan, request, progress, cancellation));
            if (isJson)
            {
                await streams.Output.WriteLineAsync(MatrixJson.Write(matrix));
            }
            else
            {
                HeatMap.Write(ConsoleOn(streams.Output), matrix);
            }

            return ExitCodes.Success;
        }
        catch (NumaException exception)
        {
            await streams.Error.WriteLineAsync(exception.Message);
            return ExitCodes.Unusable;
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            await streams.Error.WriteLineAsync("cancelled");
            return ExitCodes.Cancelled;
        }
    }

    // Spectre looks at TERM alone, which says nothing about a file or a pipe.
    private static IAnsiConsole ConsoleOn(TextWriter writer)
    {
        var output = new AnsiConsoleOutput(writer);
        return AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = output,
            Ansi = output.IsTerminal ? AnsiSupport.Detect : AnsiSupport.No,
        });
    }

    private static long? ParseSize(ArgumentResult result)
    {
        var text = result.Tokens[0].Value;
        if (SizeText.TryParse(text, out var bytes) && bytes is >= MatrixPlan.MinSizeBytes and <= MatrixPlan.MaxSizeBytes)
        {
            return bytes / MatrixPlan.MinSizeBytes * MatrixPlan.MinSizeBytes;
        }

        result.AddError($"--size '{text}' must be a size from 1MiB to 64GiB, such as 512MiB.");
        return null;
    }
}
