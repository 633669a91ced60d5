using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The playground's web application in a process of its own, on its own ports, on the server's CPU.</summary>
internal sealed class WebServer : IDisposable
{
    private const string AssemblyName = "NumaSharp.Playground.Web.dll";
    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(50);

    private readonly ChildProcess _process;

    private WebServer(ServerSide side, ServerPorts ports, ChildProcess process)
    {
        Side = side;
        Ports = ports;
        _process = process;
        Cpu = new ProcessCpuClock(process.Id);
        Memory = new ServerMemory(ports.HttpUrl);
    }

    public ServerSide Side { get; }

    public ServerPorts Ports { get; }

    public ProcessCpuClock Cpu { get; }

    public ServerMemory Memory { get; }

    public int Id => _process.Id;

    /// <summary>What rows call it as a peer.</summary>
    public string PeerName => Side.IsOurs ? Side.Name : $"Kestrel SocketTransport {FrameworkVersion.Of(Id)}";

    public static async Task<WebServer> StartAsync(
        ServerSide side, ServerPorts ports, ServerSetting setting, int? cpu, CancellationToken cancellation)
    {
        var process = ChildProcess.Start(StartInfo(side, ports, setting), cpu);
        try
        {
            await WaitUntilItListensAsync(side, ports, process, cancellation);
            CheckAffinity(side, process.Id, cpu);
            return new WebServer(side, ports, process);
        }
        catch
        {
            process.Dispose();
            File.Delete(ports.UnixSocket);
            throw;
        }
    }

    public void ThrowIfExited()
    {
        if (_process.HasExited)
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture,
                $"server '{Side.Name}' ended with exit code {_process.ExitCode} under load:\n{_process.LastWords}"));
        }
    }

    /// <summary>Asks it to stop.</summary>
    public void Terminate() => _process.Terminate();

    /// <summary>Waits until it has ended, and fails if it did not end in order.</summary>
    public async Task WaitForEndAsync(TimeSpan limit, CancellationToken cancellation)
    {
        await _process.WaitForExitAsync(cancellation).WaitAsync(limit, cancellation);
        if (_process.ExitCode != 0)
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture,
                $"server '{Side.Name}' ended with exit code {_process.ExitCode} when it was stopped:\n{_process.LastWords}"));
        }
    }

    public void Dispose()
    {
        Memory.Dispose();
        _process.Dispose();
        File.Delete(Ports.UnixSocket);
    }

    private static ProcessStartInfo StartInfo(ServerSide side, ServerPorts ports, ServerSetting setting)
    {
        // Both projects are built into the same tree: artifacts/bin/<project>/<configuration>/.
        var own = new DirectoryInfo(Path.TrimEndingDirectorySeparator(side.Folder ?? AppContext.BaseDirectory));
        var folder = Path.GetFullPath(Path.Combine(own.FullName, "../../Web", own.Name));
        var assembly = Path.Combine(folder, AssemblyName);
        if (!File.Exists(assembly))
        {
            throw new BenchmarkException(
                $"{assembly} is not there: run with 'dotnet run -c Release --project playground/Benchmarks'");
        }

        var info = new ProcessStartInfo(Executables.DotnetHost, [
            assembly,
            .. side.Switches,
            $"--urls={ports.HttpUrl};http://unix:{ports.UnixSocket}",
            $"--H2cUrl={ports.H2cUrl}",
            $"--HttpsUrl={ports.HttpsUrl}",
            $"--RawUrl={ports.RawUrl}",
            // A log line per request would be most of what is measured.
            "--Logging:LogLevel:Default=Warning",
            "--Logging:LogLevel:Microsoft=Warning",
            "--Logging:LogLevel:Microsoft.AspNetCore=Warning",
            .. setting.Switches,
        ])
        {
            // The content root, with the application's own appsettings.json.
            WorkingDirectory = folder,
        };
        ServerEnvironment.Clean(info.Environment);
        foreach (var (name, value) in side.Environment)
        {
            info.Environment[name] = value;
        }

        return info;
    }

    private static async Task WaitUntilItListensAsync(
        ServerSide side, ServerPorts ports, ChildProcess process, CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        while (!(await IsListeningAsync(ports.Http, cancellation)
            && await IsListeningAsync(ports.H2c, cancellation)
            && await IsListeningAsync(ports.Https, cancellation)
            && await IsListeningAsync(ports.Raw, cancellation)))
        {
            if (process.HasExited)
            {
                // The end of its output may still be on the way.
                await process.WaitForExitAsync(cancellation);
                throw new BenchmarkException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"server '{side.Name}' did not start (exit code {process.ExitCode}):\n{process.LastWords}"));
            }

            if (Stopwatch.GetElapsedTime(start) > s_startLimit)
            {
                throw new BenchmarkException(
                    $"server '{side.Name}' does not listen on {ports.HttpUrl}, {ports.H2cUrl}, {ports.HttpsUrl} "
                    + $"and {ports.RawUrl} within {s_startLimit.TotalSeconds} s:\n{process.LastWords}");
            }

            await Task.Delay(s_pollInterval, cancellation);
        }
    }

    private static async Task<bool> IsListeningAsync(int port, CancellationToken cancellation)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(IPAddress.Loopback, port, cancellation);
            return true;
        }
        catch (SocketException failure) when (failure.SocketErrorCode == SocketError.ConnectionRefused)
        {
            return false;
        }
    }

    private static void CheckAffinity(ServerSide side, int processId, int? cpu)
    {
        if (cpu is { } id && BenchmarkCpus.AllowedCpus(processId) is var actual && !actual.Equals(CpuSet.FromIds(id)))
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture, $"server '{side.Name}' runs on CPUs {actual}, not on {id}"));
        }
    }
}
