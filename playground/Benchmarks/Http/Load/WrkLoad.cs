using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>HTTP/1.1, with or without TLS, by wrk on one thread.</summary>
/// <param name="Path">The endpoint.</param>
/// <param name="AnswerBytes">The body of an answer, and of the request when it posts.</param>
internal sealed record WrkLoad(string Path, int AnswerBytes) : ILoadGenerator
{
    // wrk counts a slower answer as an error. Its default of 2 s is within what a stalled virtual machine does.
    private const string Timeout = "5s";

    // wrk takes whole seconds only. It ends by SIGINT (timeout of coreutils sends it), and reports the time it really ran.
    private const string LongEnough = "1h";

    public required int Connections { get; init; }

    public bool PostsBody { get; init; }

    public bool Tls { get; init; }

    public int PipelineDepth { get; init; } = 1;

    /// <summary>
    /// After how many requests a connection ends and another follows; 0 for never. Each of these requests asks for the end, by
    /// whichever connection sends it: so it is a mean.
    /// </summary>
    public int RequestsPerConnection { get; init; }

    // wrk takes the time of a whole batch once and then corrects it for "coordinated omission" as if each of its answers
    // had been waited for: the percentiles of pipelined requests mean nothing.
    public LoadFigures Figures => PipelineDepth == 1 ? LoadFigures.Rate | LoadFigures.Percentiles : LoadFigures.Rate;

    public TimeSpan Overhead => TimeSpan.Zero;

    public (string Program, string Package)? Tool => ("wrk", "wrk");

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan length, CancellationToken cancellation)
    {
        var postBytes = PostsBody ? AnswerBytes : 0;
        var script = System.IO.Path.Combine(target.Scratch.FullName, "wrk.lua");
        await File.WriteAllTextAsync(
            script, WrkScript.Create(postBytes, PipelineDepth, RequestsPerConnection), cancellation);
        var output = await LoadProcess.RunAsync(
            "timeout", Arguments(target.Ports, script, length), target.Cpu, length, cancellation);
        return LoadReport.Parse("wrk", output).ToResult("wrk", AnswerBytes, Figures);
    }

    private IEnumerable<string> Arguments(ServerPorts ports, string script, TimeSpan length) =>
    [
        "--preserve-status",
        "--signal=INT",
        string.Create(CultureInfo.InvariantCulture, $"{length.TotalSeconds}"),
        "wrk",
        "--threads", "1",
        "--connections", Connections.ToString(CultureInfo.InvariantCulture),
        "--duration", LongEnough,
        "--timeout", Timeout,
        "--script", script,
        (Tls ? ports.HttpsUrl : ports.HttpUrl) + Path,
    ];
}
