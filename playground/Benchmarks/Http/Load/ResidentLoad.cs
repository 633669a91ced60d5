using System.Diagnostics;
using System.Globalization;
using System.Threading.Channels;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>
/// A client of ours that stays until it is killed, and says by a line of its output what it has done. Nothing looks for the line
/// meanwhile: on a machine with two CPUs that would take time from the server, and from its slowest answers.
/// </summary>
internal sealed class ResidentLoad : IDisposable
{
    // A stalled machine; a load that needs more is stuck.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(30);

    private readonly string _source;
    private readonly Channel<string> _answers;
    private readonly ChildProcess _process;

    private ResidentLoad(string source, ProcessStartInfo info, int? cpu)
    {
        _source = source;
        _answers = Channel.CreateUnbounded<string>();
        _process = ChildProcess.Start(info, cpu, Take);
    }

    /// <summary>Starts it.</summary>
    /// <param name="source">What messages call it.</param>
    /// <param name="info">The process.</param>
    /// <param name="cpu">Where it runs; null for anywhere.</param>
    public static ResidentLoad Start(string source, ProcessStartInfo info, int? cpu)
    {
        info.RedirectStandardInput = true;
        return new ResidentLoad(source, info, cpu);
    }

    /// <summary>Whether a line has come that was not taken.</summary>
    public bool HasAnswered => _answers.Reader.TryPeek(out _);

    /// <summary>Writes a line to it.</summary>
    public void Ask(string line) => _process.WriteLine(line);

    /// <summary>Takes its next line.</summary>
    /// <param name="length">How long it may take on a machine that is not busy.</param>
    /// <param name="cancellation">Ends the wait early.</param>
    /// <exception cref="BenchmarkException">It has ended, or is stuck.</exception>
    public async Task<string> AnswerAsync(TimeSpan length, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(length + s_grace);
        try
        {
            return await _answers.Reader.ReadAsync(limit.Token);
        }
        catch (ChannelClosedException)
        {
            // The end of its other output may still be on the way.
            await _process.WaitForExitAsync(cancellation);
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture, $"{_source} has ended with exit code {_process.ExitCode}: {_process.LastWords}"));
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture,
                $"{_source} did not answer within {(length + s_grace).TotalSeconds} s: {_process.LastWords}"));
        }
    }

    public void Dispose() => _process.Dispose();

    private void Take(string? line)
    {
        if (line is null)
        {
            _answers.Writer.Complete();
        }
        else if (line == LoadCommand.Connected || line.StartsWith(LoadReport.Marker, StringComparison.Ordinal))
        {
            _answers.Writer.TryWrite(line);
        }
    }
}
