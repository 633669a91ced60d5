using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>
/// The process that makes the load of a scenario, for one side after the other: it starts and is compiled once, not for each run.
/// </summary>
internal sealed class UdpLoad : IDisposable
{
    private readonly UdpScenario _scenario;
    private readonly ResidentLoad _process;

    private UdpLoad(UdpScenario scenario, ResidentLoad process) => (_scenario, _process) = (scenario, process);

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

        return new UdpLoad(scenario, ResidentLoad.Start($"the load of '{scenario.Name}'", info, cpu));
    }

    /// <summary>Whether the run that was begun has ended.</summary>
    public bool HasEnded => _process.HasAnswered;

    /// <summary>Begins a run.</summary>
    public void Begin(int port, TimeSpan lead, TimeSpan length) => _process.Ask(UdpLoadCommand.Run(port, lead, length));

    /// <summary>Waits for the end of the run that was begun.</summary>
    /// <returns>The percentiles, or <see langword="null"/> where the load takes none.</returns>
    public async Task<Latency?> EndAsync(CancellationToken cancellation) =>
        UdpReport.LatencyOf(_scenario.Name, [await _process.AnswerAsync(TimeSpan.Zero, cancellation)]);

    public void Dispose() => _process.Dispose();
}
