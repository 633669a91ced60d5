namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>
/// Requests at a constant rate, whatever the server does with them: a latency begins when its request was due, so that a
/// server which stops for a while cannot hide those that should have been sent meanwhile (coordinated omission).
/// </summary>
/// <param name="Connections">Each with one request in flight; a request that finds none idle waits, and its time runs.</param>
/// <param name="PerSecond">Requests, or percent of the capacity of stock sockets.</param>
/// <param name="IsPercent">Which of the two.</param>
internal sealed record OpenLoopLoad(int Connections, int PerSecond, bool IsPercent) : ILoadGenerator
{
    private const string Source = "open-loop client";

    public LoadFigures Figures => LoadFigures.Percentiles | LoadFigures.Tail;

    public (string Program, string Package)? Tool => null;

    public TimeSpan Overhead => OpenLoopCommand.OverheadOf(Connections);

    public TimeSpan? AfterConnecting => OpenLoopCommand.WarmUp;

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan length, CancellationToken cancellation)
    {
        var rate = PerSecond;
        if (IsPercent)
        {
            var capacity = target.Capacity ?? throw new InvalidOperationException("The capacity is measured first.");
            rate = (int)(capacity * PerSecond / 100);
        }

        var arguments = OpenLoopCommand.Arguments(
            target.Ports.Http, Connections, rate, length, sleeps: target.Cpu is null);
        using var client = ResidentLoad.Start(Source, LoadCommand.StartInfo(arguments), target.Cpu);
        var connected = await client.AnswerAsync(Overhead, cancellation);
        if (connected != LoadCommand.Connected)
        {
            throw new BenchmarkException($"{Source} said '{connected}' before it had connected");
        }

        if (target.Window is { } window)
        {
            await window.BeginQuietlyAsync(cancellation);
        }

        client.Ask("run");
        var report = await client.AnswerAsync(OpenLoopCommand.WarmUp + length, cancellation);
        target.Window?.End();
        return LoadReport.Parse(Source, [report]).ToResult(Source, "pong".Length, Figures);
    }
}
