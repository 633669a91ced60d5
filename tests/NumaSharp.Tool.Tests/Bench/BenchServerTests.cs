using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Bench.Http;
using NumaSharp.Tool.Commands;
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
        using var server = HttpServerProcess.Start(NodeRun.Launcher, "stock");
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
        using var server = HttpServerProcess.Start(NodeRun.Launcher, side);
        using var load = HttpLoad.Open(server.Port, HttpScenario.All[0]);

        server.RequireLoops(isOurs);
        Assert.Throws<NumaException>(() => server.RequireLoops(!isOurs));
    }

    [Fact]
    public void Open_AnswerIsLonger_Throws()
    {
        using var server = HttpServerProcess.Start(NodeRun.Launcher, "stock");
        Assert.Throws<NumaException>(() => HttpLoad.Open(server.Port, HttpScenario.All[0] with { BodyBytes = 1 }).Dispose());
    }

    [Fact]
    public void Start_ProgramThatIsNoServer_SaysWhatItSays()
    {
        var exception = Assert.Throws<NumaException>(
            () => HttpServerProcess.Start(new("/bin/sh", ["-c", "echo 'no memory' >&2"]), "stock").Dispose());
        Assert.Equal("the server did not start: no memory", exception.Message);
    }

    [Fact]
    public void Start_ProgramThatWritesNoPortAndReads_EndsIt()
    {
        var exception = Assert.Throws<NumaException>(() => HttpServerProcess.Start(
            new("/bin/sh", ["-c", "echo hello; cat >/dev/null; echo 'no input' >&2"]), "stock").Dispose());
        Assert.Equal("the server did not start: no input", exception.Message);
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
}
