using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks;

/// <summary>Ends a run with an exit code, and with one line where it has no result.</summary>
internal static class GuardedRun
{
    public static async Task<int> RunAsync(
        Func<CancellationToken, Task<int>> run, TextWriter error, CancellationToken cancellation)
    {
        using var signals = new HangUpSignals(cancellation);
        try
        {
            return await run(signals.Token);
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
