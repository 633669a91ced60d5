using System.Diagnostics;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Runs a load generator to its end.</summary>
internal static class LoadProcess
{
    // Connecting, draining and a stalled machine; a generator that needs more is stuck.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(30);

    public static async Task<IReadOnlyList<string>> RunAsync(
        string program, IEnumerable<string> arguments, int? cpu, TimeSpan length, CancellationToken cancellation)
    {
        using var child = ChildProcess.Start(new ProcessStartInfo(program, arguments), cpu);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(length + s_grace);
        try
        {
            await child.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture,
                $"{Path.GetFileName(program)} did not end after a run of {length.TotalSeconds} s: {child.LastWords}"));
        }

        return child.ExitCode == 0
            ? child.Output
            : throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture,
                $"{Path.GetFileName(program)} ended with exit code {child.ExitCode}: {child.LastWords}"));
    }
}
