using System.CommandLine;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Processes;

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
            Description = "What to measure: http (memory, pool, scheduler and udp arrive with their steps).",
        };
        var quick = new Option<bool>("--quick") { Description = "Every row, in shorter runs; http within 10 minutes." };
        var json = new Option<FileInfo?>("--json") { Description = "Write machine and rows to this file.", HelpName = "FILE" };
        var filter = new Option<string?>("--filter")
        {
            Description = "Run only rows whose name contains this text.",
            HelpName = "TEXT",
        };
        var dispatch = new Option<DispatchMode[]>("--dispatch")
        {
            Description = "Compare these values of Numa:Transport:Dispatch; the default is Adaptive and Node.",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => [DispatchMode.Adaptive, DispatchMode.Node],
        };
        var noiseFloor = new Option<bool>("--noise-floor")
        {
            Description = "Compare stock sockets with themselves: how far from 1.00 a ratio gets by chance.",
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
            kind, quick, json, filter, dispatch, noiseFloor,
        };
        root.Add(WebSocketLoadCommand.Create(output));
        root.SetAction((parsed, cancellation) => RunKindAsync(
            new BenchmarkOptions(
                parsed.GetValue(quick),
                parsed.GetValue(json),
                parsed.GetValue(filter),
                [.. parsed.GetRequiredValue(dispatch).Distinct()],
                parsed.GetValue(noiseFloor)),
            output,
            error,
            cancellation));
        return root;
    }

    private static async Task<int> RunKindAsync(
        BenchmarkOptions options, TextWriter output, TextWriter error, CancellationToken cancellation)
    {
        using var signals = new HangUpSignals(cancellation);
        try
        {
            await HttpBenchmark.RunAsync(options, output, signals.Token);
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
