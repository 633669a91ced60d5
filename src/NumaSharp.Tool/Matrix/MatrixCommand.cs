using System.CommandLine;
using System.CommandLine.Parsing;
using NumaSharp.Core;
using Spectre.Console;

namespace NumaSharp.Tool.Matrix;

/// <summary><c>numasharp matrix</c> (docs/guide/matrix.md).</summary>
internal sealed class MatrixCommand
{
    private const string Json = "json";
    private const int MaxRepeat = 1000;

    private readonly Option<MatrixGranularity> _granularity = new("--granularity")
    {
        Description = "Measure from one CPU per node, from one per last-level cache, or from every CPU.",
    };

    private readonly Option<CpuSet?> _cpus = CommandOptions.KernelList(
        "--cpus", "Measure from these CPUs, as a kernel list such as 0-3,8.");

    private readonly Option<long?> _size = new("--size")
    {
        Description = "The buffer on each node, such as 512MiB. Default: several times the last-level cache.",
        HelpName = "SIZE",
        CustomParser = ParseSize,
    };

    private readonly Option<int> _repeat = CommandOptions.Count("--repeat", 3, MaxRepeat, "Medians of this many.");

    private readonly Option<double> _timeLimit = CommandOptions.Seconds(
        "--time-limit", 60, "Begin no further cell after this time.");

    private readonly Option<string> _format = new("--format")
    {
        Description = "text or json.",
        DefaultValueFactory = static _ => "text",
    };

    /// <summary>Makes the command.</summary>
    /// <param name="platform">The machine to measure; called when the command runs.</param>
    public static Command Create(Func<NumaPlatform> platform) => new MatrixCommand().CreateCommand(platform);

    private Command CreateCommand(Func<NumaPlatform> platform)
    {
        _format.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, "text", Json);
        var matrix = new Command("matrix", "Measures what every CPU gets from the memory of every node.")
        {
            _granularity, _cpus, _size, _repeat, _timeLimit, _format,
        };
        matrix.SetAction((parsed, cancellation) => RunAsync(
            platform(),
            Read(parsed),
            parsed.GetRequiredValue(_format).Equals(Json, StringComparison.OrdinalIgnoreCase),
            parsed.InvocationConfiguration,
            cancellation));
        return matrix;
    }

    private MatrixRequest Read(ParseResult parsed) => new()
    {
        Granularity = parsed.GetValue(_granularity),
        Cpus = parsed.GetValue(_cpus),
        SizeBytes = parsed.GetValue(_size),
        Repeat = parsed.GetValue(_repeat),
        TimeLimit = TimeSpan.FromSeconds(parsed.GetValue(_timeLimit)),
    };

    private static async Task<int> RunAsync(
        NumaPlatform platform,
        MatrixRequest request,
        bool isJson,
        InvocationConfiguration streams,
        CancellationToken cancellation)
    {
        // The command line waits for a cancelled action only after it has returned its task.
        await Task.Yield();
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
