using System.Diagnostics;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>A client of ours that stays until it is killed, and says by a line of its output what it has done.</summary>
internal sealed class ResidentLoad : IDisposable
{
    // A stalled machine; a load that needs more is stuck.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(10);

    private readonly string _source;
    private readonly ChildProcess _process;
    private int _taken;

    private ResidentLoad(string source, ChildProcess process) => (_source, _process) = (source, process);

    /// <summary>Starts it.</summary>
    /// <param name="source">What messages call it.</param>
    /// <param name="info">The process.</param>
    /// <param name="cpu">Where it runs; null for anywhere.</param>
    public static ResidentLoad Start(string source, ProcessStartInfo info, int? cpu)
    {
        info.RedirectStandardInput = true;
        return new ResidentLoad(source, ChildProcess.Start(info, cpu));
    }

    /// <summary>Whether a line has come that was not taken.</summary>
    public bool HasAnswered => Answers().Count > _taken;

    /// <summary>Writes a line to it.</summary>
    public void Ask(string line) => _process.WriteLine(line);

    /// <summary>Takes its next line.</summary>
    /// <param name="length">How long it may take on a machine that is not busy.</param>
    /// <param name="cancellation">Ends the wait early.</param>
    /// <exception cref="BenchmarkException">It has ended, or is stuck.</exception>
    public async Task<string> AnswerAsync(TimeSpan length, CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        while (!HasAnswered)
        {
            if (_process.HasExited)
            {
                // The end of its output may still be on the way.
                await _process.WaitForExitAsync(cancellation);
                throw new BenchmarkException($"{_source} has ended: {_process.LastWords}");
            }

            if (Stopwatch.GetElapsedTime(start) > length + s_grace)
            {
                throw new BenchmarkException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{_source} did not end within {(length + s_grace).TotalSeconds} s: {_process.LastWords}"));
            }

            await Task.Delay(s_pollInterval, cancellation);
        }

        return Answers()[_taken++];
    }

    public void Dispose() => _process.Dispose();

    private List<string> Answers() =>
    [
        .. _process.Output.Where(static line =>
            line == LoadCommand.Connected || line.StartsWith(LoadReport.Marker, StringComparison.Ordinal)),
    ];
}
