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

    private HttpServerProcess(Process process, int port)
    {
        _process = process;
        Port = port;
        Cpu = CpuClock.OfProcess(process.Id);
    }

    public int Port { get; }

    /// <summary>The CPU time of all its threads.</summary>
    public CpuClock Cpu { get; }

    /// <exception cref="NumaException">It does not start.</exception>
    public static HttpServerProcess Start(LauncherProgram launcher, string side)
    {
        var info = new ProcessStartInfo(launcher.FileName, [.. launcher.Arguments, HttpServer.Verb, side])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };

        // The default of applications; this program turns it off (NumaSharp.Tool.csproj).
        info.Environment["DOTNET_TieredPGO"] = "1";
        var process = Process.Start(info)!;
        if (int.TryParse(process.StandardOutput.ReadLine(), NumberStyles.None, CultureInfo.InvariantCulture, out var port))
        {
            return new HttpServerProcess(process, port);
        }

        // One that wrote something else, as a start-up hook may, runs until its input ends.
        process.StandardInput.Close();
        var error = process.StandardError.ReadToEnd().Split('\n')[0].Trim();
        End(process);
        throw new NumaException($"the server did not start: {error}");
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

    public void Dispose() => End(_process);

    private static void End(Process process)
    {
        process.StandardInput.Close();
        if (!process.WaitForExit(s_patience))
        {
            process.Kill();
        }

        process.Dispose();
    }
}
