using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>HTTP/2 without TLS by h2load on one thread, or HTTP/1.1 over a Unix socket, which wrk cannot reach.</summary>
internal sealed record H2Load(string Path, int Clients, int Streams) : ILoadGenerator
{
    public bool IsUnix { get; init; }

    public int Connections => Clients;

    public LoadFigures Figures => LoadFigures.Rate | LoadFigures.Percentiles;

    public TimeSpan Overhead => TimeSpan.Zero;

    public (string Program, string Package)? Tool => ("h2load", "nghttp2-client");

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan length, CancellationToken cancellation)
    {
        // h2load appends to its log, and its own summary has no percentiles.
        var log = System.IO.Path.Combine(target.Scratch.FullName, "h2load.log");
        File.Delete(log);
        var output = await LoadProcess.RunAsync(
            "h2load", Arguments(target.Ports, log, length), target.Cpu, length, cancellation);
        var summary = H2LoadOutput.Parse(output);
        return new LoadResult(
            summary.Requests, summary.Requests / length.TotalSeconds, H2LoadOutput.ReadLatency(File.ReadLines(log)));
    }

    private IEnumerable<string> Arguments(ServerPorts ports, string log, TimeSpan length) =>
    [
        "--threads=1",
        string.Create(CultureInfo.InvariantCulture, $"--clients={Clients}"),
        string.Create(CultureInfo.InvariantCulture, $"--max-concurrent-streams={Streams}"),
        string.Create(CultureInfo.InvariantCulture, $"--duration={(int)length.TotalMilliseconds}ms"),
        $"--log-file={log}",
        .. IsUnix ? ["--h1", $"--base-uri=unix:{ports.UnixSocket}", "http://localhost" + Path] : new[] { ports.H2cUrl + Path },
    ];
}
