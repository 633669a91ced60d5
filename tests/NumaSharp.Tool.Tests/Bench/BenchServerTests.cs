using System.Globalization;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Tool.Bench.Http;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Run;
using NumaSharp.Tool.Tests.Run;

namespace NumaSharp.Tool.Tests.Bench;

public sealed class BenchServerTests
{
    public BenchServerTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp bench needs Linux.");

    public static TheoryData<string> Scenarios => [.. HttpScenario.All.Select(static scenario => scenario.Name)];

    [Theory]
    [MemberData(nameof(Scenarios))]
    public void Run_EveryScenario_CountsAnswers(string name)
    {
        using var server = Start(NodeRun.Launcher);
        using var load = HttpLoad.Open(server.Port, HttpScenario.All.Single(scenario => scenario.Name == name));
        var before = server.Cpu.Read();

        // Without time for more, every connection has one answer.
        Assert.Equal(64, load.Run(TimeSpan.Zero, TestContext.Current.CancellationToken));
        Assert.True(server.Cpu.Read() > before);
    }

    [Theory]
    [InlineData(HttpServer.Ours, true)]
    [InlineData("stock", false)]
    public void RequireLoops_Side_HasItsTransport(string side, bool isOurs)
    {
        using var server = Start(NodeRun.Launcher, side);
        using var load = HttpLoad.Open(server.Port, HttpScenario.All[0]);

        server.RequireLoops(isOurs);
        Assert.Throws<NumaException>(() => server.RequireLoops(!isOurs));
    }

    [Fact]
    public void Open_AnswerIsLonger_Throws()
    {
        using var server = Start(NodeRun.Launcher);
        Assert.Throws<NumaException>(() => HttpLoad.Open(server.Port, HttpScenario.All[0] with { BodyBytes = 1 }).Dispose());
    }

    [Fact]
    public void Open_ServerThatNeverAnswers_SaysHowLongItHasWaited()
    {
        // The kernel completes connections that the program does not accept.
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(backlog: 128);
        var port = ((IPEndPoint)listener.LocalEndPoint!).Port;

        var exception = Assert.Throws<NumaException>(
            () => HttpLoad.Open(port, HttpScenario.All[0], TimeSpan.FromMilliseconds(1)).Dispose());
        Assert.Equal(
            "the server has not answered a request for 0.001 s: it hangs, or the machine is too busy", exception.Message);
    }

    [Fact]
    public void Start_ProgramThatIsNoServer_SaysWhatItSays()
    {
        var exception = Assert.Throws<NumaException>(() => Start(Shell("echo 'no memory' >&2")).Dispose());
        Assert.Equal("the server did not start: no memory", exception.Message);
    }

    [Theory]
    [InlineData("echo 'on the output'", "on the output")]
    [InlineData("exit 1", "it wrote nothing")]
    public void Start_ProgramWithoutErrors_SaysWhatElseItWrote(string script, string message)
    {
        var exception = Assert.Throws<NumaException>(() => Start(Shell(script)).Dispose());
        Assert.Equal($"the server did not start: {message}", exception.Message);
    }

    [Fact]
    public void Start_ProgramThatWritesNoPortAndReads_EndsIt()
    {
        var exception = Assert.Throws<NumaException>(
            () => Start(Shell("echo hello; cat >/dev/null; echo 'no input' >&2")).Dispose());
        Assert.Equal("the server did not start: no input", exception.Message);
    }

    [Fact]
    public async Task Start_ServerThatHangs_IsEndedAfterTheLimitAndSaysWhatItWrote()
    {
        using var folder = new TemporaryFolder();
        var (marker, time) = (folder.PathOf("written"), new ManualTime());
        var start = Task.Run(
            () => Start(Shell($"echo 'still loading' >&2; : > '{marker}'; read never"), time: time).Dispose());
        await Wait.UntilAsync(() => File.Exists(marker) && time.TimerCount > 0);
        time.Advance(HttpServerProcess.StartLimit);

        var exception = await Assert.ThrowsAsync<NumaException>(() => start.Within());
        Assert.Equal("the server did not start within 60 s: still loading", exception.Message);
    }

    [Fact]
    public void Start_CancelledWhileTheServerHangs_DoesNotWaitForIt()
    {
        using var cancellation = new CancellationTokenSource();
        cancellation.Cancel();

        Assert.ThrowsAny<OperationCanceledException>(() => HttpServerProcess.Start(
            Shell("read never"), "stock", new ManualTime(), cancellation.Token).Dispose());
    }

    [Fact]
    public void Start_Server_HasTheEnvironmentOfALauncher()
    {
        var exception = Assert.Throws<NumaException>(() => Start(Shell(
            "echo \"$DOTNET_EnableDiagnostics $DOTNET_TieredPGO ${PATH:+found}\" >&2")).Dispose());
        Assert.Equal("the server did not start: 0 1 found", exception.Message);
    }

    // Ctrl-C on a terminal reaches the servers, too: the command must not take that for a failure of theirs.
    [Fact]
    public async Task Server_Interrupted_ServesUntilItsInputEnds()
    {
        using var tool = ToolProcess.Start(HttpServer.Verb, HttpServer.Ours);
        var port = int.Parse((await tool.ReadLineAsync())!, CultureInfo.InvariantCulture);
        await tool.SignalAsync("INT");
        using (HttpLoad.Open(port, HttpScenario.All[0]))
        {
            tool.CloseInput();
        }

        Assert.Equal(ExitCodes.Success, await tool.WaitAsync());
    }

    private static LauncherProgram Shell(string script) => new("/bin/sh", ["-c", script]);

    // Without a clock it has as long as every wait of a test, and not the command's limit.
    private static HttpServerProcess Start(LauncherProgram launcher, string side = "stock", TimeProvider? time = null) =>
        Wait.For(Task.Run(() => HttpServerProcess.Start(
            launcher, side, time ?? new ManualTime(), TestContext.Current.CancellationToken)));
}
