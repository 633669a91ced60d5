using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>
/// A kind of benchmark in a process of its own: what the kind before it has compiled, allocated and pinned does not shape its
/// figures, which are those of the same command alone.
/// </summary>
internal static class KindProcess
{
    // It ends its own servers meanwhile. Less than the command line waits for this process.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    // A terminal signals both processes at once, and the other one may be quicker.
    private static readonly TimeSpan s_signal = TimeSpan.FromSeconds(1);

    public static ProcessStartInfo StartInfo(string kind, FileInfo json, bool quick) =>
        StartInfo(This, kind, json, quick ? ["--quick", "--every-row"] : []);

    /// <param name="assembly">The benchmarks, of this build or another one.</param>
    /// <param name="kind">What it measures.</param>
    /// <param name="json">Where it writes to.</param>
    /// <param name="options">Further ones.</param>
    public static ProcessStartInfo StartInfo(string assembly, string kind, FileInfo json, IEnumerable<string> options) =>
        new(Executables.DotnetHost, [assembly, kind, .. options, "--json", json.FullName]);

    /// <summary>The benchmarks of this build.</summary>
    public static string This => Assembly.GetExecutingAssembly().Location;

    /// <summary>Runs it to its end and passes its output on.</summary>
    /// <returns>Why it has no result; null when it has one.</returns>
    public static Task<string?> RunAsync(
        ProcessStartInfo info, TextWriter output, TextWriter error, CancellationToken cancellation) =>
        RunAsync(info, output, error, s_patience, cancellation);

    /// <summary>With another time to end in before it is killed.</summary>
    public static async Task<string?> RunAsync(
        ProcessStartInfo info, TextWriter output, TextWriter error, TimeSpan patience, CancellationToken cancellation)
    {
        using var child = ChildProcess.Start(info, cpu: null, LinesTo(output), LinesTo(error));
        try
        {
            await child.WaitForExitAsync(cancellation);
        }
        catch (OperationCanceledException)
        {
            await EndAsync(child, patience);
            throw;
        }

        if (child.ExitCode == ExitCodes.Completed)
        {
            return null;
        }

        if (child.ExitCode == ExitCodes.Cancelled)
        {
            await Task.Delay(s_signal, cancellation);
        }

        // Its first line says what is wrong; a stack or a server's output may follow.
        var reason = child.LastWords.Split('\n')[0];
        var ended = string.Create(CultureInfo.InvariantCulture, $"it ended with exit code {child.ExitCode}");
        return reason.Length == 0 ? ended
            : child.ExitCode == ExitCodes.Failed ? reason
            : $"{ended}: {reason}";
    }

    private static async Task EndAsync(ChildProcess child, TimeSpan patience)
    {
        using var limit = new CancellationTokenSource(patience);
        try
        {
            child.Terminate();
            await child.WaitForExitAsync(limit.Token);
        }
        catch (Exception failure) when (failure is BenchmarkException or OperationCanceledException)
        {
            // It ended by itself, or does not end and is killed.
        }
    }

    private static Action<string?> LinesTo(TextWriter writer) => line =>
    {
        if (line is not null)
        {
            writer.WriteLine(line);
        }
    };
}
