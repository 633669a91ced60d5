using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text.Json.Serialization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Matrix;

/// <summary><c>numasharp matrix</c> (docs/guide/matrix.md).</summary>
internal sealed class MatrixCommand
{
    private const int MaxRepeat = 1000;

    private readonly Option<MatrixGranularity> _granularity = CommandOptions.Choice<MatrixGranularity>(
        "--granularity", "Measure from one CPU per node, from one per last-level cache, or from every CPU.");

    private readonly Option<CpuSet?> _cpus = CommandOptions.KernelList(
        "--cpus", "Measure from these CPUs, as a kernel list such as 0-3,8.");

    private readonly Option<long?> _size = new("--size")
    {
        Description = "The buffer on each node, such as 512MiB. Default: several times the last-level cache.",
        HelpName = "SIZE",
        CustomParser = ParseSize,
    };

    private readonly Option<int> _repeat = CommandOptions.Count(
        "--repeat", 3, MaxRepeat, "Measurements per cell; the median is shown.");

    private readonly Option<double> _timeLimit = CommandOptions.Seconds(
        "--time-limit", 60, "Start no new cell after this time.");

    private readonly Option<OutputFormat> _format = CommandOptions.Format();

    /// <summary>Creates the command.</summary>
    /// <param name="console">Receives results and progress.</param>
    /// <param name="platform">The machine to measure; called when the command runs.</param>
    public static Command Create(ToolConsole console, Func<NumaPlatform> platform) =>
        new MatrixCommand().CreateCommand(console, platform);

    private Command CreateCommand(ToolConsole console, Func<NumaPlatform> platform)
    {
        var matrix = new Command("matrix", "Measures latency and bandwidth from CPUs to the memory of every node.")
        {
            _granularity, _cpus, _size, _repeat, _timeLimit, _format,
        };
        matrix.SetLongAction((parsed, cancellation) => RunAsync(
            console, platform(), Read(parsed), parsed.GetValue(_format), cancellation));
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
        ToolConsole console,
        NumaPlatform platform,
        MatrixRequest request,
        OutputFormat format,
        CancellationToken cancellation)
    {
        var topology = platform.Topology.Read();
        var plan = MatrixPlan.Create(topology, request);
        var run = new MatrixRun(platform, topology, TimeProvider.System);
        var matrix = await MatrixProgress.RunAsync(
            console.ErrorScreen,
            plan.Rows.Length * plan.Columns.Length,
            progress => run.MeasureAsync(plan, request, progress, cancellation));
        if (format == OutputFormat.Json)
        {
            console.WriteJson(MatrixDocument.Of(matrix), MatrixJson.Default.MatrixDocument);
        }
        else
        {
            HeatMap.Write(console.Screen, matrix);
        }

        return ExitCodes.Success;
    }

    private static long? ParseSize(ArgumentResult result)
    {
        var text = result.Tokens[0].Value;
        if (ByteSize.TryParse(text, out var bytes) && bytes is >= MatrixPlan.MinSizeBytes and <= MatrixPlan.MaxSizeBytes)
        {
            return bytes / MatrixPlan.MinSizeBytes * MatrixPlan.MinSizeBytes;
        }

        result.AddError($"--size '{text}' must be a size from 1MiB to 64GiB, such as 512MiB.");
        return null;
    }
}

/// <summary>
/// A progress bar on a terminal, nothing elsewhere. Drawn only between two cells: a timer would disturb the measurement.
/// </summary>
internal static class MatrixProgress
{
    public static async Task<T> RunAsync<T>(IAnsiConsole console, int cells, Func<IProgress<int>, Task<T>> work)
    {
        if (!console.Profile.Capabilities.Ansi || !console.Profile.Out.IsTerminal)
        {
            return await work(new Silent());
        }

        return await console.Progress()
            .AutoRefresh(false)
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn())
            .StartAsync(context =>
            {
                var task = context.AddTask("Measuring", maxValue: cells);
                context.Refresh();
                return work(new Bar(context, task));
            });
    }

    private sealed class Bar(ProgressContext context, ProgressTask task) : IProgress<int>
    {
        public void Report(int value)
        {
            task.Value = value;
            context.Refresh();
        }
    }

    private sealed class Silent : IProgress<int>
    {
        public void Report(int value)
        {
        }
    }
}

/// <summary>The output of <c>matrix --format json</c> (docs/guide/matrix.md).</summary>
internal sealed record MatrixDocument(
    long SizeBytes, int Repeat, IReadOnlyList<MatrixColumn> Nodes, IReadOnlyList<MatrixCellDocument> Cells)
{
    public static MatrixDocument Of(NodeMatrix matrix) => new(
        matrix.Plan.SizeBytes, matrix.Repeat, matrix.Columns, [.. matrix.Cells.Select(MatrixCellDocument.Of)]);
}

/// <summary>A cell of <see cref="MatrixDocument"/>.</summary>
internal sealed record MatrixCellDocument(
    int Cpu,
    int CpuNode,
    int MemoryNode,
    double? LatencyNanoseconds,
    double? GigabytesPerSecond,
    double? ReadMilliseconds,
    string? Reason)
{
    private const int Digits = 3;

    public static MatrixCellDocument Of(MatrixCell cell) => new(
        cell.Row.Cpu,
        cell.Row.NodeId.Value,
        cell.NodeId.Value,
        Rounded(cell.Figures?.LatencyNanoseconds),
        Rounded(cell.Figures?.GigabytesPerSecond),
        Rounded(cell.Figures?.ReadTime.TotalMilliseconds),
        cell.Reason);

    private static double? Rounded(double? value) => value is { } number ? Math.Round(number, Digits) : null;
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(MatrixDocument))]
internal sealed partial class MatrixJson : JsonSerializerContext;
