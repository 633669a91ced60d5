using System.CommandLine;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Http.Stops;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;
using NumaSharp.Playground.Benchmarks.Memory.Resident;
using NumaSharp.Playground.Benchmarks.Pools;
using NumaSharp.Playground.Benchmarks.Processes;
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
        var parsed = Create(output, error).Parse(args);
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

    private static RootCommand Create(TextWriter output, TextWriter error)
    {
        var kind = new Argument<string>("KIND")
        {
            Description = "What to measure: memory, pool, scheduler, http, udp or stop.",
        };
        var quick = new Option<bool>("--quick") { Description = "Every row, in shorter runs." };
        var json = new Option<FileInfo?>("--json") { Description = "Write machine and rows to this file.", HelpName = "FILE" };
        var filter = new Option<string?>("--filter")
        {
            Description = "Run only rows whose name contains this text.",
            HelpName = "TEXT",
        };
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
            kind, quick, json, filter, dispatch, socketsInline, noiseFloor,
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
        root.Add(WebSocketLoadCommand.Create(output));
        root.Add(OpenLoopCommand.Create(output));
        root.Add(ResidentCommand.Create(output));
        root.Add(IdleCommand.Create(output));
        root.Add(UdpServerCommand.Create(output));
        root.Add(UdpFloodCommand.Create(output));
        root.Add(UdpPingCommand.Create(output));
        root.SetAction((parsed, cancellation) => RunKindAsync(
            parsed.GetRequiredValue(kind),
            new BenchmarkOptions(
                parsed.GetValue(quick),
                parsed.GetValue(json),
                parsed.GetValue(filter),
                parsed.GetResult(dispatch) is { Implicit: false }
                    ? [.. parsed.GetRequiredValue(dispatch).Distinct()]
                    : BenchmarkKinds.DefaultDispatch(parsed.GetRequiredValue(kind)),
                parsed.GetValue(noiseFloor),
                parsed.GetValue(socketsInline) || parsed.GetResult(dispatch) is not { Implicit: false }),
            output,
            error,
            cancellation));
        return root;
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

    private static async Task<int> RunKindAsync(
        string kind, BenchmarkOptions options, TextWriter output, TextWriter error, CancellationToken cancellation)
    {
        using var signals = new HangUpSignals(cancellation);
        try
        {
            await RunAsync(kind, options, output, signals.Token);
            return ExitCodes.Completed;
        }
        catch (BenchmarkException failure)
        {
            await error.WriteLineAsync(failure.Message);
            return ExitCodes.Failed;
        }
        catch (OperationCanceledException) when (signals.Token.IsCancellationRequested)
        {
            await error.WriteLineAsync("cancelled: no result was written");
            return ExitCodes.Cancelled;
        }
    }
}
