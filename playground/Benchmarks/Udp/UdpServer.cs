using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Text;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>A process with one side, on the server's CPU.</summary>
internal sealed class UdpServer : IDisposable
{
    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(20);

    private readonly ChildProcess _process;
    private readonly ProcessCpuClock _cpu;
    private readonly Socket _control;

    private UdpServer(UdpSide side, ChildProcess process, int port, int controlPort)
    {
        Side = side;
        Port = port;
        _process = process;
        _cpu = new ProcessCpuClock(process.Id);
        _control = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveTimeout = 5_000 };
        _control.Connect(new IPEndPoint(IPAddress.Loopback, controlPort));
    }

    public UdpSide Side { get; }

    public int Port { get; }

    public static async Task<UdpServer> StartAsync(
        UdpSide side, bool echoes, UdpNetwork network, int? cpu, CancellationToken cancellation)
    {
        var info = new ProcessStartInfo(
            Executables.DotnetHost,
            [
                Assembly.GetExecutingAssembly().Location, UdpServerCommand.Name, side.Name, echoes ? "true" : "false",
                $"{network}",
            ]);
        ServerEnvironment.Clean(info.Environment);
        foreach (var (name, value) in side.Environment)
        {
            info.Environment[name] = value;
        }

        var process = ChildProcess.Start(info, cpu);
        try
        {
            var start = Stopwatch.GetTimestamp();
            while (true)
            {
                var ready = process.Output.FirstOrDefault(
                    static line => line.StartsWith(UdpServerCommand.Ready, StringComparison.Ordinal));
                if (ready is not null)
                {
                    var ports = ready[UdpServerCommand.Ready.Length..].Split(' ')
                        .Select(static port => int.Parse(port, CultureInfo.InvariantCulture)).ToArray();
                    return new UdpServer(side, process, ports[0], ports[1]);
                }

                if (process.HasExited || Stopwatch.GetElapsedTime(start) > s_startLimit)
                {
                    throw new BenchmarkException($"UDP server '{side}' did not start: {process.LastWords}");
                }

                await Task.Delay(s_pollInterval, cancellation);
            }
        }
        catch
        {
            process.Dispose();
            throw;
        }
    }

    /// <summary>CPU time, and what the server counts.</summary>
    public UdpReading Read()
    {
        var counts = Ask(UdpServerCommand.Read);
        return new UdpReading(Stopwatch.GetTimestamp(), _cpu.ReadNanoseconds(), counts[0], counts[1]);
    }

    public void Send(int port, int size, TimeSpan length) =>
        Ask(string.Create(
            CultureInfo.InvariantCulture, $"{UdpServerCommand.Send} {port} {size} {(int)length.TotalMilliseconds}"));

    public void Dispose()
    {
        _control.Dispose();
        _process.Dispose();
    }

    private long[] Ask(string question)
    {
        var buffer = new byte[256];
        try
        {
            _control.Send(Encoding.ASCII.GetBytes(question));
            return [.. Encoding.ASCII.GetString(buffer, 0, _control.Receive(buffer)).Split(' ')
                .Select(static word => long.Parse(word, CultureInfo.InvariantCulture))];
        }
        catch (SocketException failure)
        {
            throw new BenchmarkException($"UDP server '{Side}' does not answer ({failure.Message}): {_process.LastWords}");
        }
    }
}
