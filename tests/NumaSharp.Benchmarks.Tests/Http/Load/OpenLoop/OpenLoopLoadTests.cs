using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Http.Load.OpenLoop;

/// <summary>The client as a process of its own.</summary>
public sealed class OpenLoopLoadTests : IDisposable
{
    private const int Connections = 4;
    private const int PerSecond = 5;

    private static readonly TimeSpan s_length = TimeSpan.FromMilliseconds(200);

    private readonly TemporaryFolder _scratch = new();

    public OpenLoopLoadTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The client waits by epoll.");

    public void Dispose() => _scratch.Dispose();

    // Connecting 10,000 times would be most of the CPU time that their few requests take.
    [Fact]
    public async Task RunAsync_Window_BeginsWhenEachConnectionHasItsFirstAnswer()
    {
        using var lastConnects = new ManualResetEventSlim();
        using var connected = new ManualResetEventSlim();
        using var asked = new ManualResetEventSlim();
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        using var server = new PongServer(request =>
        {
            if (request == Connections)
            {
                lastConnects.Set();
                connected.Wait();
            }
            else if (request > Connections)
            {
                asked.Wait();
            }
        });
        var window = Window();
        var running = RunAsync(server, window, end.Token);

        bool hadBegun;
        try
        {
            await Wait.UntilAsync(() => lastConnects.IsSet || running.IsCompleted);
            hadBegun = window.Begun.IsCompleted;
            connected.Set();
            await Wait.UntilAsync(() => window.Begun.IsCompleted || running.IsCompleted);
            await end.CancelAsync();
        }
        finally
        {
            // The server's threads wait for these; it would wait for them.
            connected.Set();
            asked.Set();
        }

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        Assert.False(hadBegun);
    }

    [Fact]
    public async Task RunAsync_ServerThatAnswers_CountsWarmUpAndRunOfTheWindow()
    {
        using var server = new PongServer();

        // Of 300 ms of warm-up and of 200 ms; the first requests of the connections are before the window.
        Assert.Equal(2 + 1, (await RunInTimeAsync(server)).Requests);
    }

    [Fact]
    public async Task RunAsync_ServerThatAnswersSomethingElse_SaysSo()
    {
        using var server = new PongServer(status: "404 Not Found");

        var failure = await Assert.ThrowsAsync<BenchmarkException>(
            () => RunAsync(server, Window(), TestContext.Current.CancellationToken));

        Assert.Contains("404 Not Found", failure.Message, StringComparison.Ordinal);
    }

    // The client is late only where it has no CPU just when the run's only request is due, at its start.
    private async Task<LoadResult> RunInTimeAsync(PongServer server)
    {
        for (var run = 0; ; run++)
        {
            try
            {
                return await RunAsync(server, Window(), TestContext.Current.CancellationToken);
            }
            catch (BenchmarkException failure) when (
                run < 100 && failure.Message.Contains("ms late", StringComparison.Ordinal))
            {
                // The next one may be in time.
            }
        }
    }

    private static LoadWindow Window() => new(new ProcessCpuClock(Environment.ProcessId));

    private Task<LoadResult> RunAsync(PongServer server, LoadWindow window, CancellationToken cancellation) =>
        new OpenLoopLoad(Connections, PerSecond, IsPercent: false).RunAsync(
            new LoadTarget(new ServerPorts(server.Port, 0, 0, 0), Cpu: null, new DirectoryInfo(_scratch.Path), Window: window),
            s_length,
            cancellation);
}
