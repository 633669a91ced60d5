using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>HTTP/1.1, with or without TLS, by wrk on one thread.</summary>
/// <param name="Path">The endpoint.</param>
/// <param name="AnswerBytes">The body of an answer, and of the request when it posts.</param>
internal sealed record WrkLoad(string Path, int AnswerBytes) : ILoadGenerator
{
    // wrk counts a slower answer as an error. Its default of 2 s is within what a stalled virtual machine does.
    private const string Timeout = "5s";

    public required int Connections { get; init; }

    public bool PostsBody { get; init; }

    public bool Tls { get; init; }

    public int PipelineDepth { get; init; } = 1;

    // wrk takes the time of a whole batch once and then corrects it for "coordinated omission" as if each of its answers
    // had been waited for: the percentiles of pipelined requests mean nothing.
    public bool MeasuresLatency => PipelineDepth == 1;

    public (string Program, string Package)? Tool => ("wrk", "wrk");

    public async Task<LoadResult> RunAsync(LoadTarget target, int seconds, CancellationToken cancellation)
    {
        var postBytes = PostsBody ? AnswerBytes : 0;
        var script = System.IO.Path.Combine(
            target.Scratch.FullName, string.Create(CultureInfo.InvariantCulture, $"wrk-{postBytes}-{PipelineDepth}.lua"));
        await File.WriteAllTextAsync(script, WrkScript.Create(postBytes, PipelineDepth), cancellation);
        var output = await LoadProcess.RunAsync(
            "wrk", Arguments(target.Ports, script, seconds), target.Cpu, seconds, cancellation);
        return LoadReport.Parse("wrk", output).ToResult("wrk", AnswerBytes, MeasuresLatency);
    }

    private IEnumerable<string> Arguments(ServerPorts ports, string script, int seconds) =>
    [
        "--threads", "1",
        "--connections", Connections.ToString(CultureInfo.InvariantCulture),
        "--duration", string.Create(CultureInfo.InvariantCulture, $"{seconds}s"),
        "--timeout", Timeout,
        "--script", script,
        (Tls ? ports.HttpsUrl : ports.HttpUrl) + Path,
    ];
}
