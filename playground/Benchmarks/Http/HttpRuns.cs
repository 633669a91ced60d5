using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>Puts one server after the other under load, and returns the cost of each run.</summary>
internal sealed class HttpRuns(HttpServers servers, HttpRunLengths lengths, int? loadCpu, DirectoryInfo scratch)
{
    // Managed bytes are counted in the middle of a run: no connection is made or closed there.
    private const double WindowStart = 0.3;
    private const double WindowLength = 0.5;

    private readonly HashSet<string> _warm = new(StringComparer.Ordinal);
    private double? _capacity;

    /// <summary>Runs a scenario in alternating order.</summary>
    /// <returns>The samples of each of the servers, round by round.</returns>
    public async Task<IReadOnlyList<HttpSample>[]> MeasureAsync(
        HttpScenario scenario, IReadOnlyList<WebServer> sides, CancellationToken cancellation)
    {
        await EnsureCapacityAsync(scenario, cancellation);
        await WarmUpAsync(scenario, sides, cancellation);
        return await Alternation.MeasureAsync(
            sides.Count, lengths.Rounds, side => MeasureAsync(scenario, sides[side], lengths.Run, cancellation));
    }

    private async Task WarmUpAsync(HttpScenario scenario, IReadOnlyList<WebServer> sides, CancellationToken cancellation)
    {
        if (!_warm.Add(scenario.Name))
        {
            return;
        }

        await ServerWarmUp.RunAsync(
            sides, server => MeasureAsync(scenario, server, lengths.WarmUp, cancellation), cancellation);
        await Task.Delay(HttpRunLengths.AfterWarmUp, cancellation);
        await servers.WaitUntilQuietAsync(cancellation);
    }

    // The median, behind a warm-up.
    private async Task EnsureCapacityAsync(HttpScenario scenario, CancellationToken cancellation)
    {
        if (!scenario.NeedsCapacity || _capacity is not null)
        {
            return;
        }

        var closed = new HttpScenario("capacity", HttpScenarios.Capacity, ScenarioTargets.None, ScenarioTargets.None);
        await WarmUpAsync(closed, [servers.Peer], cancellation);
        var rates = new List<double>();
        for (var run = 0; run < HttpRunLengths.CapacityRuns; run++)
        {
            rates.Add((await MeasureAsync(closed, servers.Peer, lengths.Run, cancellation)).RequestsPerSecond);
        }

        _capacity = rates[Statistics.MiddleRound(rates)];
    }

    private async Task<HttpSample> MeasureAsync(
        HttpScenario scenario, WebServer server, TimeSpan length, CancellationToken cancellation)
    {
        try
        {
            var window = new LoadWindow(server.Cpu, servers.WaitUntilQuietAsync);
            var target = new LoadTarget(server.Ports, loadCpu, scratch, _capacity, window);
            using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
            if (scenario.Load.AfterConnecting is null)
            {
                window.Begin();
            }

            var allocating = MeasureAllocationAsync(server, scenario.Load, window, length, end.Token);
            var load = await RunLoadAsync(scenario.Load, target, length, allocating, end, cancellation);
            var spent = window.End();
            var bytesPerSecond = await allocating;
            await servers.WaitUntilQuietAsync(cancellation);
            return new HttpSample(
                spent / 1e3 / load.Requests, load.RequestsPerSecond, load.Latency, bytesPerSecond / load.RequestsPerSecond);
        }
        catch (BenchmarkException failure)
        {
            server.ThrowIfExited();
            throw new BenchmarkException(
                $"{scenario.Name}{scenario.MetricSuffix} on server '{server.Side.Name}': {failure.Message}");
        }
    }

    // When the load fails, the other figure is no longer awaited.
    private static async Task<LoadResult> RunLoadAsync(
        ILoadGenerator load,
        LoadTarget target,
        TimeSpan length,
        Task allocating,
        CancellationTokenSource end,
        CancellationToken cancellation)
    {
        try
        {
            return await load.RunAsync(target, length, cancellation);
        }
        catch
        {
            await end.CancelAsync();
            await allocating.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw;
        }
    }

    private static async Task<double> MeasureAllocationAsync(
        WebServer server, ILoadGenerator load, LoadWindow window, TimeSpan length, CancellationToken cancellation)
    {
        await window.Begun.WaitAsync(cancellation);
        await Task.Delay((load.AfterConnecting ?? load.Overhead) + (length * WindowStart), cancellation);
        return await server.Memory.MeasureBytesPerSecondAsync(length * WindowLength, cancellation);
    }
}
