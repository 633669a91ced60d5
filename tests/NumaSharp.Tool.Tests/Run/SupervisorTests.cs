using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class SupervisorTests
{
    private const string WaitForTerm = "trap 'echo stopped; exit 0' TERM; echo ready; while :; do sleep 0.1; done";

    private static readonly SupervisorOptions s_restart = new()
    {
        Restart = true,
        RestartDelay = TimeSpan.FromMilliseconds(10),
        RestartLimit = TimeSpan.FromHours(1),
        StopTimeout = Wait.Limit,
    };

    [Fact]
    public async Task RunAsync_OneFails_TheOthersAreStoppedAndItsCodeIsOurs()
    {
        using var run = new NodeRun($"[ $NUMASHARP_NODE = 1 ] && exit 7; {WaitForTerm}");
        var code = await run.RunAsync(NodeRun.TwoNodes());

        Assert.Equal(7, code);
        Assert.Contains("[node1] numasharp: exited with code 7; stopping the others.", run.Errors.Lines);
    }

    [Fact]
    public async Task RunAsync_OneSucceeds_TheOthersContinue()
    {
        using var folder = new TemporaryFolder();
        using var run = new NodeRun(
            "[ $NUMASHARP_NODE = 1 ] && echo $$ && exit 0; "
            + $"until [ -e '{folder.PathOf("go")}' ]; do sleep 0.02; done; echo done");
        var code = run.RunAsync(NodeRun.TwoNodes());
        await run.Output.WaitForAsync("\n");
        var ended = run.Output.Lines[0]["[node1] ".Length..];
        await Wait.UntilAsync(() => !Directory.Exists($"/proc/{ended}"));
        await File.WriteAllTextAsync(folder.PathOf("go"), "");

        Assert.Equal(0, await code);
        Assert.Equal("[node0] done", run.Output.Lines[^1]);
    }

    [Fact]
    public async Task RunAsync_EndedByASignal_CodeIs128AndTheSignal()
    {
        using var run = new NodeRun("kill -KILL $$");

        Assert.Equal(128 + ProcessCalls.SIGKILL, await run.RunAsync(NodeRun.OneNode()));
    }

    [Theory]
    [InlineData(ProcessCalls.SIGUSR1, "USR1")]
    [InlineData(ProcessCalls.SIGUSR2, "USR2")]
    [InlineData(ProcessCalls.SIGHUP, "HUP")]
    [InlineData(ProcessCalls.SIGINT, "INT")]
    public async Task Forward_AnySignal_ReachesEveryProcess(int signal, string name)
    {
        using var run = new NodeRun(
            $"trap 'echo got {name}; exit 0' {name}; echo $NUMASHARP_NODE is ready; while :; do sleep 0.1; done");
        var code = run.RunAsync(NodeRun.TwoNodes());
        await Task.WhenAll(run.Output.WaitForAsync("0 is ready"), run.Output.WaitForAsync("1 is ready"));
        run.Supervisor.Forward(signal);

        Assert.Equal(0, await code);
        Assert.Contains($"[node0] got {name}", run.Output.Lines);
        Assert.Contains($"[node1] got {name}", run.Output.Lines);
    }

    [Fact]
    public async Task Stop_ProcessesThatEndWithZero_CodeIsZero()
    {
        using var run = new NodeRun(WaitForTerm, s_restart);
        var code = run.RunAsync(NodeRun.OneNode());
        await run.Output.WaitForAsync("ready");
        run.Supervisor.Stop(ProcessCalls.SIGTERM);

        Assert.Equal(0, await code);
        Assert.Equal(["[node0] ready", "[node0] stopped"], run.Output.Lines);
    }

    [Fact]
    public async Task Stop_ProcessThatDoesNotListen_IsKilledWithAllThatItStarted()
    {
        using var run = new NodeRun(
            "trap '' TERM; sleep 1000 & echo child $!; wait; sleep 1000",
            new SupervisorOptions { StopTimeout = TimeSpan.FromMilliseconds(50) });
        var code = run.RunAsync(NodeRun.OneNode());
        await run.Output.WaitForAsync("child ");
        await run.Output.WaitForAsync("\n");
        run.Supervisor.Stop(ProcessCalls.SIGTERM);

        Assert.Equal(128 + ProcessCalls.SIGKILL, await code);
        await run.Errors.WaitForAsync("[node0] numasharp: did not exit within 0.05 s; killing it.\n");
        var grandchild = run.Output.Lines[0]["[node0] child ".Length..];
        await Wait.UntilAsync(() => !IsRunning(grandchild));
    }

    // Those of a terminal are for all that runs on it; any other is for the process, which knows what to do with its own.
    [Theory]
    [InlineData(true, 128 + ProcessCalls.SIGHUP)]
    [InlineData(false, 128 + ProcessCalls.SIGKILL)]
    public async Task Forward_ToGroups_ReachesWhatTheProcessHasStarted(bool toGroups, int codeOfTheChild)
    {
        // What has been forked and has not got to its own program yet still has the shell's handler, which swallows the signal.
        using var run = new NodeRun(
            "trap : HUP; trap 'kill -KILL $child 2>/dev/null; wait $child; echo $?; exit 0' USR1; "
            + "(trap - HUP; exec sleep 1000) & child=$!; "
            + "until grep -q sleep /proc/$child/comm; do sleep 0.02; done; echo ready; while :; do sleep 0.1; done");
        var code = run.RunAsync(NodeRun.OneNode());
        await run.Output.WaitForAsync("ready");
        run.Supervisor.Forward(ProcessCalls.SIGHUP, toGroups);

        // The first of two deadly signals decides how a process ends.
        run.Supervisor.Forward(ProcessCalls.SIGUSR1, toGroups: false);
        Assert.Equal(0, await code);
        Assert.Equal($"[node0] {codeOfTheChild}", run.Output.Lines[^1]);
    }

    [Fact]
    public async Task RunAsync_ProcessInTheBackgroundKeepsTheOutput_ALineThatIsNotCompleteIsPassedOn()
    {
        var time = new ManualTime();
        using var run = new NodeRun("printf 'a line\\nno line end'; sleep 20 & exit 0", time: time);
        var code = run.RunAsync(NodeRun.OneNode());

        // Both come in one piece: there is no more to read when the first is here.
        await run.Output.WaitForAsync("a line\n");
        await Wait.UntilAsync(() =>
        {
            time.Advance(TimeSpan.FromSeconds(1));
            return code.IsCompleted;
        });
        Assert.Equal(0, await code);
        Assert.Equal(["[node0] a line", "[node0] no line end"], run.Output.Lines);
    }

    [Fact]
    public async Task Stop_RightAfterTheStart_ReachesTheProcess()
    {
        using var run = new NodeRun("while :; do sleep 0.1; done");
        var code = run.RunAsync(NodeRun.OneNode());
        run.Supervisor.Stop(ProcessCalls.SIGTERM);

        Assert.Equal(128 + ProcessCalls.SIGTERM, await code);
    }

    [Fact]
    public async Task Restart_ProcessThatFailsTwice_IsStartedThreeTimes()
    {
        using var folder = new TemporaryFolder();
        var file = folder.PathOf("starts");
        using var run = new NodeRun($"echo x >> '{file}'; [ $(wc -l < '{file}') -ge 3 ]", s_restart);

        Assert.Equal(0, await run.RunAsync(NodeRun.OneNode()));
        Assert.Equal(3, (await File.ReadAllLinesAsync(file)).Length);

        // Where a container refuses the memory policy, each start says that, too.
        Assert.Equal(
            [
                "[node0] numasharp: exited with code 1; restarting it in 0.01 s.",
                "[node0] numasharp: exited with code 1; restarting it in 0.02 s.",
            ],
            run.Errors.Lines.Where(static line => !line.Contains(" set_mempolicy ", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Restart_StoppedWhileWaiting_EndsWithTheLastCode()
    {
        using var run = new NodeRun("exit 5", s_restart with { RestartDelay = TimeSpan.FromHours(1) });
        var code = run.RunAsync(NodeRun.OneNode());
        await run.Errors.WaitForAsync("restarting it in 3600 s");
        run.Supervisor.Stop(ProcessCalls.SIGTERM);

        Assert.Equal(5, await code);
    }

    [Fact]
    public async Task RunAsync_LauncherIsNotThere_SaysSo()
    {
        using var output = new OutputProbe();
        using var supervisor = new Supervisor(
            new NodeCommand(new LauncherProgram("/nonexistent/numasharp", []), "/bin/true", ["true"]),
            new SupervisorOptions(),
            new OutputLines(output, output),
            TimeProvider.System);

        Assert.Equal(ExitCodes.CannotPlace, await supervisor.RunAsync([NodeRun.OneNode()]));
        Assert.Contains("'/nonexistent/numasharp' cannot be started", output.Text, StringComparison.Ordinal);
    }

    // A zombie that init has not reaped yet has ended, too.
    private static bool IsRunning(string processId)
    {
        try
        {
            return !File.ReadAllText($"/proc/{processId}/stat").Contains(") Z ", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return false;
        }
    }
}
