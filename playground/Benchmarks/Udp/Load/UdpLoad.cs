using System.Diagnostics;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>
/// The process that makes the load of a scenario, for one side after the other: it starts and is compiled once, not for each run.
/// </summary>
internal sealed class UdpLoad : IDisposable
{
    // A stalled machine; a load that needs more is stuck.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(10);

    private readonly UdpScenario _scenario;
    private readonly ChildProcess _process;
    private int _reports;

    private UdpLoad(UdpScenario scenario, ChildProcess process) => (_scenario, _process) = (scenario, process);

    /// <summary>Starts it, idle.</summary>
    /// <param name="scenario">What it sends.</param>
    /// <param name="veth">Where a scenario of <see cref="UdpNetwork.Veth"/> is sent from.</param>
    /// <param name="cpu">Where it runs; null for anywhere.</param>
    public static UdpLoad Start(UdpScenario scenario, VethPair? veth, int? cpu)
    {
        var info = LoadCommand.StartInfo(UdpLoadCommand.Arguments(scenario));
        if (scenario.Network == UdpNetwork.Veth)
        {
            info = veth!.Inside(info);
        }

        info.RedirectStandardInput = true;
        return new UdpLoad(scenario, ChildProcess.Start(info, cpu));
    }

    /// <summary>Whether the run that was begun has ended.</summary>
    public bool HasEnded => Reports().Count > _reports;

    /// <summary>Begins a run.</summary>
    public void Begin(int port, TimeSpan lead, TimeSpan length) => _process.WriteLine(UdpLoadCommand.Run(port, lead, length));

    /// <summary>Waits for the end of the run that was begun.</summary>
    /// <returns>The percentiles, or <see langword="null"/> where the load takes none.</returns>
    public async Task<Latency?> EndAsync(CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        while (!HasEnded)
        {
            if (_process.HasExited)
            {
                // The end of its output may still be on the way.
                await _process.WaitForExitAsync(cancellation);
                throw new BenchmarkException($"the load of '{_scenario.Name}' has ended: {_process.LastWords}");
            }

            if (Stopwatch.GetElapsedTime(start) > s_grace)
            {
                throw new BenchmarkException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"the load of '{_scenario.Name}' did not end within {s_grace.TotalSeconds} s: {_process.LastWords}"));
            }

            await Task.Delay(s_pollInterval, cancellation);
        }

        var reports = Reports();
        _reports = reports.Count;
        return UdpReport.LatencyOf(_scenario.Name, reports);
    }

    public void Dispose() => _process.Dispose();

    private List<string> Reports() =>
        [.. _process.Output.Where(static line => line.StartsWith(LoadReport.Marker, StringComparison.Ordinal))];
}
