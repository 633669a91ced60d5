using System.CommandLine;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Http.Stops;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;
using NumaSharp.Playground.Benchmarks.Memory.Resident;
using NumaSharp.Playground.Benchmarks.Pools;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results;
using NumaSharp.Playground.Benchmarks.Scheduling;
using NumaSharp.Playground.Benchmarks.Scheduling.Idle;
using NumaSharp.Playground.Benchmarks.Udp;
using NumaSharp.Playground.Benchmarks.Udp.Load;

namespace NumaSharp.Playground.Benchmarks;

/// <summary>The command line.</summary>
internal static class BenchmarkCommand
{
    // Stopping the servers takes part of it; after that the process ends by itself.
    private static readonly TimeSpan s_terminationTimeout = TimeSpan.FromSeconds(15);

    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error)
    {
        var parsed = Create(args, output, error).Parse(args);
        if (parsed.Errors.Count > 0)
        {
            foreach (var problem in parsed.Errors)
            {
                await error.WriteLineAsync(problem.Message);
            }

            return ExitCodes.Usage;
        }

        return await parsed.InvokeAsync(new InvocationConfiguration
        {
            Output = output,
            Error = error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = s_terminationTimeout,
        });
    }

    private static RootCommand Create(string[] args, TextWriter output, TextWriter error)
    {
        var kind = new Argument<string>("KIND")
        {
            Description = "What to measure: memory, pool, scheduler, http, udp or stop.",
        };
        var quick = new Option<bool>("--quick") { Description = "Shorter runs; http and udp: fewer rows, too." };
        var json = new Option<FileInfo?>("--json") { Description = "Write machine and rows to this file.", HelpName = "FILE" };
        var filter = new Option<string?>("--filter")
        {
            Description = "Run only rows whose name contains this text.",
            HelpName = "TEXT",
        };
        var everyRow = new Option<bool>("--every-row") { Description = "http, udp: with --quick, every row." };
        var dispatch = new Option<DispatchMode[]>("--dispatch")
        {
            Description = "http, stop: compare these values of Numa:Transport:Dispatch only. The default of http is all but "
                + "ThreadPool, and sockets inline; that of stop is all.",
            AllowMultipleArgumentsPerToken = true,
        };
        var socketsInline = new Option<bool>("--sockets-inline")
        {
            Description = "http: with --dispatch, compare Kestrel's sockets with inline completions, too.",
        };
        var noiseFloor = new Option<bool>("--noise-floor")
        {
            Description = "Compare the peers with themselves: how far from 1.00 a ratio gets by chance.",
        };
        var earlier = new Option<FileInfo>("--earlier")
        {
            Description = "http: compare with the servers of another Release build, in the same rounds, instead of stock "
                + "sockets: NumaSharp.Playground.Benchmarks.dll of that build.",
            HelpName = "FILE",
        };
        earlier.AcceptExistingOnly();
        dispatch.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, Enum.GetNames<DispatchMode>());
        kind.Validators.Add(result =>
        {
            if (BenchmarkKinds.Refusal(result.Tokens[0].Value) is { } refusal)
            {
                result.AddError(refusal);
            }
        });

        var root = new RootCommand("Benchmarks of NumaSharp against its peers.")
        {
            kind, quick, everyRow, json, filter, dispatch, socketsInline, noiseFloor, earlier,
        };
        root.Validators.Add(result =>
        {
            if (result.GetValue(kind) is { } named
                && !BenchmarkKinds.TakesDispatch(named)
                && result.GetResult(dispatch) is { Implicit: false })
            {
                result.AddError($"--dispatch belongs to http and stop, not to {named}");
            }
        });
        root.Validators.Add(result =>
        {
            if (result.GetResult(earlier) is { Implicit: false }
                && (result.GetValue(noiseFloor) || (result.GetValue(kind) is { } named && !BenchmarkKinds.TakesEarlier(named))))
            {
                result.AddError("--earlier belongs to http, and does not go with --noise-floor");
            }
        });
        foreach (var command in Commands(output, error))
        {
            root.Add(command);
        }

        root.SetAction((parsed, cancellation) =>
        {
            var named = parsed.GetRequiredValue(kind);
            var asked = parsed.GetResult(dispatch) is { Implicit: false };
            var options = new BenchmarkOptions(
                parsed.GetValue(quick),
                parsed.GetValue(json),
                parsed.GetValue(filter),
                asked ? [.. parsed.GetRequiredValue(dispatch).Distinct()] : BenchmarkKinds.DefaultDispatch(named),
                parsed.GetValue(noiseFloor),
                parsed.GetValue(socketsInline) || !asked,
                parsed.GetValue(everyRow) || asked)
            {
                Earlier = parsed.GetValue(earlier),
                Command = RepeatCommand.Of(args),
            };
            return GuardedRun.RunAsync(token => RunKindAsync(named, options, output, token), error, cancellation);
        });
        return root;
    }

    // What it starts as processes of its own is hidden.
    private static Command[] Commands(TextWriter output, TextWriter error) =>
    [
        AllCommand.Create(output, error),
        RenderCommand.Create(output, error),
        CompareCommand.Create(output, error),
        WebSocketLoadCommand.Create(output),
        OpenLoopCommand.Create(output),
        ResidentCommand.Create(output),
        IdleCommand.Create(output),
        UdpServerCommand.Create(output),
        UdpLoadCommand.Create(output),
    ];

    private static async Task<int> RunKindAsync(
        string kind, BenchmarkOptions options, TextWriter output, CancellationToken cancellation)
    {
        await RunAsync(kind, options, output, cancellation);
        return ExitCodes.Completed;
    }

    private static Task RunAsync(string kind, BenchmarkOptions options, TextWriter output, CancellationToken cancellation) =>
        kind switch
        {
            BenchmarkKinds.Memory => RowBenchmark.RunAsync(
                kind, MemoryRows.Create, RowBenchmark.TeamMethod, options, output, cancellation),
            BenchmarkKinds.Pool => RowBenchmark.RunAsync(
                kind, PoolRows.Create, RowBenchmark.TeamMethod, options, output, cancellation),
            BenchmarkKinds.Scheduler => OwnThread.RunAsync(() => RowBenchmark.RunAsync(
                kind,
                static _ => SchedulerRows.Create(),
                static (lengths, _) => SchedulerRows.Method(lengths),
                options,
                output,
                cancellation)),
            BenchmarkKinds.Udp => UdpBenchmark.RunAsync(options, output, cancellation),
            BenchmarkKinds.Stop => StopBenchmark.RunAsync(options, output, cancellation),
            _ => HttpBenchmark.RunAsync(options, output, cancellation),
        };
}
