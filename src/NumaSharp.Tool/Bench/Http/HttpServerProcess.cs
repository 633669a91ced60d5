using System.Diagnostics;
using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Bench.Http;

/// <summary>A running <see cref="HttpServer"/>, on the CPUs of the thread that started it.</summary>
internal sealed class HttpServerProcess : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly Process _process;
    private readonly Task<string?> _firstLine;
    private readonly Task<string> _errors;

    private HttpServerProcess(Process process)
    {
        _process = process;
        _firstLine = process.StandardOutput.ReadLineAsync();
        _errors = process.StandardError.ReadToEndAsync();
        Cpu = CpuClock.OfProcess(process.Id);
    }

    /// <summary>After so long without a port, a start has failed: it takes seconds on a busy machine.</summary>
    public static TimeSpan StartLimit { get; } = TimeSpan.FromSeconds(60);

    public int Port { get; private set; }

    /// <summary>The CPU time of all its threads.</summary>
    public CpuClock Cpu { get; }

    /// <summary>Starts it, and waits until it listens.</summary>
    /// <exception cref="NumaException">It does not start, or not within <see cref="StartLimit"/>.</exception>
    /// <exception cref="OperationCanceledException">The token is cancelled.</exception>
    public static HttpServerProcess Start(
        LauncherProgram launcher, string side, TimeProvider time, CancellationToken cancellation)
    {
        var info = launcher.CreateStartInfo(HttpServer.Verb, side);

        // The default of applications; this program turns it off (NumaSharp.Tool.csproj).
        info.Environment["DOTNET_TieredPGO"] = "1";
        var server = new HttpServerProcess(Process.Start(info)!);
        try
        {
            server.Port = server.WaitForPort(time, cancellation);
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>Throws unless it runs our event loops as expected. Call it after an answer: the loops run by then.</summary>
    public void RequireLoops(bool isOurs)
    {
        var threads = new TreeReader(string.Create(CultureInfo.InvariantCulture, $"/proc/{_process.Id}/task"));
        var hasLoops = threads.List("")
            .Any(thread => threads.Read($"{thread}/comm")?.Contains("-loop", StringComparison.Ordinal) == true);
        if (hasLoops != isOurs)
        {
            throw new NumaException("the server is not on the transport that the row compares");
        }
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(s_patience))
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private int WaitForPort(TimeProvider time, CancellationToken cancellation)
    {
        var failure = "the server did not start";
        try
        {
            var line = _firstLine.WaitAsync(StartLimit, time, cancellation).GetAwaiter().GetResult();
            if (int.TryParse(line, NumberStyles.None, CultureInfo.InvariantCulture, out var port))
            {
                return port;
            }

            // One that wrote something else runs until its input ends.
            _process.StandardInput.Close();
        }
        catch (TimeoutException)
        {
            failure = string.Create(CultureInfo.InvariantCulture, $"{failure} within {StartLimit.TotalSeconds} s");
            _process.Kill();
        }

        throw new NumaException($"{failure}: {WaitForMessage(time, cancellation)}");
    }

    // The first line of its errors; without any, that of its output.
    private string WaitForMessage(TimeProvider time, CancellationToken cancellation)
    {
        try
        {
            Task[] outputs = [_firstLine, _errors];
            Task.WhenAll(outputs).WaitAsync(StartLimit, time, cancellation).GetAwaiter().GetResult();
        }
        catch (TimeoutException)
        {
            // It has not ended, or left a process that holds them open.
            return "and its output does not end";
        }

        return $"{_errors.Result}\n{_firstLine.Result}"
            .Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .FirstOrDefault("it wrote nothing");
    }
}
