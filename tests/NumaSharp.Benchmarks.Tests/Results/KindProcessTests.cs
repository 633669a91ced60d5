using System.Diagnostics;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class KindProcessTests
{
    [Fact]
    public void StartInfo_Kind_IsTheSameProgramWithItsFile()
    {
        var arguments = KindProcess.StartInfo("udp", new FileInfo("/results/udp.json"), quick: true).ArgumentList;

        Assert.Equal(["udp", "--quick", "--every-row", "--json", "/results/udp.json"], arguments.Skip(1));
        Assert.True(File.Exists(arguments[0]));
        Assert.DoesNotContain(
            "--quick", KindProcess.StartInfo("udp", new FileInfo("/results/udp.json"), quick: false).ArgumentList);
    }

    [Fact]
    public async Task RunAsync_Success_PassesItsLinesOn()
    {
        var (reason, output, error) = await RunAsync("echo row; echo note >&2");

        Assert.Null(reason);
        Assert.Equal(("row\n", "note\n"), (output, error));
    }

    [Theory]
    [InlineData("echo 'not on PATH: wrk' >&2; echo more >&2; exit 1", "not on PATH: wrk")]
    [InlineData("exit 1", "it ended with exit code 1")]
    [InlineData("echo 'Unhandled exception.' >&2; exit 134", "it ended with exit code 134: Unhandled exception.")]
    [InlineData("echo cancelled >&2; exit 130", "it ended with exit code 130: cancelled")]
    public async Task RunAsync_Failure_SaysWhy(string script, string expected) =>
        Assert.Equal(expected, (await RunAsync(script)).Reason);

    [Fact]
    public async Task RunAsync_Cancelled_EndsItInOrder()
    {
        using var output = new LineWriter();
        using var source = new CancellationTokenSource();
        var running = KindProcess.RunAsync(
            Shell("trap 'echo ended; exit 130' TERM; echo ready; while :; do sleep 0.1; done"),
            output,
            TextWriter.Null,
            Wait.Limit,
            source.Token);
        Wait.Until(() => output.Lines.Contains("ready"));

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running).Within();
        Assert.Equal(["ready", "ended"], output.Lines);
    }

    private static async Task<(string? Reason, string Output, string Error)> RunAsync(string script)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var reason = await KindProcess.RunAsync(Shell(script), output, error, TestContext.Current.CancellationToken).Within();
        return (reason, output.ToString(), error.ToString());
    }

    private static ProcessStartInfo Shell(string script) => new("/bin/sh", ["-c", script]);

    // Lines come on threads of the pool.
    private sealed class LineWriter : StringWriter
    {
        private readonly List<string> _lines = [];

        public IReadOnlyList<string> Lines
        {
            get
            {
                lock (_lines)
                {
                    return [.. _lines];
                }
            }
        }

        public override void WriteLine(string? value)
        {
            lock (_lines)
            {
                _lines.Add(value!);
            }
        }
    }
}
