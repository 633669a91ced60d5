using System.Text;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class RunCommandTests
{
    // One process is enough to see what happens to it, also where there are more nodes.
    private static NumaNode FirstNode { get; } = NumaTopology.Instance.Nodes.First(static node => !node.Cpus.IsEmpty);

    public RunCommandTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp run needs Linux.");

    [Fact]
    public async Task Run_DryRun_PrintsEveryNodeAndStartsNothing()
    {
        var (code, output, errors) = await InvokeAsync("run", "--per-node", "--dry-run", "--", "sh", "-c", "echo 'a b'");

        Assert.Equal((0, ""), (code, errors));
        var node = FirstNode;
        Assert.Contains($"node {node.NodeId}: CPUs {node.Cpus}, memory of node ", output, StringComparison.Ordinal);
        Assert.Contains($"  NUMASHARP_NODE={node.NodeId}\n", output, StringComparison.Ordinal);
        Assert.Contains(@"sh -c 'echo '\''a b'\'''", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2, "--nodes 'x'", "run", "--per-node", "--nodes", "x", "--", "true")]
    [InlineData(2, "1000 cannot be used", "run", "--per-node", "--nodes", "1000", "--", "true")]
    [InlineData(2, "--per-node", "run", "--", "true")]
    [InlineData(2, "COMMAND", "run", "--per-node")]
    [InlineData(2, "--restart-delay '0'", "run", "--per-node", "--restart-delay", "0", "--", "true")]
    [InlineData(2, "--stop-timeout", "run", "--per-node", "--stop-timeout", "soon", "--", "true")]
    [InlineData(2, "loose", "run", "--per-node", "--memory", "loose", "--", "true")]
    [InlineData(127, "'no-such-program'", "run", "--per-node", "--", "no-such-program")]
    public async Task Run_BadArguments_SaysWhichAndStartsNothing(int code, string message, params string[] arguments)
    {
        var (actual, output, errors) = await InvokeAsync(arguments);

        Assert.Equal(code, actual);
        Assert.Empty(output);
        Assert.Contains(message, errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_RealProcess_HasTheNodesCpusAndHandsItsCodeOn()
    {
        var node = FirstNode;
        using var tool = ToolProcess.Start(
            "run", "--per-node", "--nodes", $"{node.NodeId}", "--", "sh", "-c",
            "grep Cpus_allowed_list /proc/self/status; exit 3");

        Assert.Equal($"[node{node.NodeId}] Cpus_allowed_list:\t{node.Cpus}", await tool.ReadLineAsync());
        Assert.Equal(3, await tool.WaitAsync());
    }

    [Theory]
    [InlineData("TERM")]
    [InlineData("INT")]
    [InlineData("QUIT")]
    [InlineData("USR1")]
    public async Task Run_Signal_ReachesTheProcess(string signal)
    {
        using var tool = ToolProcess.Start(
            "run", "--per-node", "--nodes", $"{FirstNode.NodeId}", "--", "sh", "-c",
            $"trap 'echo {signal}; exit 9' {signal}; echo ready; while :; do sleep 0.1; done");
        Assert.EndsWith("] ready", await tool.ReadLineAsync(), StringComparison.Ordinal);
        await tool.SignalAsync(signal);

        Assert.EndsWith($"] {signal}", await tool.ReadLineAsync(), StringComparison.Ordinal);
        Assert.Equal(9, await tool.WaitAsync());
    }

    // Orphans on a shared port would keep getting their part of the connections.
    [Fact]
    public async Task Run_Killed_ItsProcessesAreAskedToEnd()
    {
        using var folder = new TemporaryFolder();
        var file = folder.PathOf("told");
        using var tool = ToolProcess.Start(
            "run", "--per-node", "--nodes", $"{FirstNode.NodeId}", "--", "sh", "-c",
            $"trap '> \"{file}\"; exit' TERM; echo ready; while :; do sleep 0.1; done");
        Assert.EndsWith("] ready", await tool.ReadLineAsync(), StringComparison.Ordinal);
        await tool.SignalAsync("KILL");

        await Wait.UntilAsync(() => File.Exists(file));
    }

    // As in 'numasharp run ... | head': the process meets the same end as without us.
    [Fact]
    public async Task Run_OutputIsNotRead_TheProcessGetsSigPipe()
    {
        using var tool = ToolProcess.Start("run", "--per-node", "--nodes", $"{FirstNode.NodeId}", "--", "yes");
        Assert.EndsWith("] y", await tool.ReadLineAsync(), StringComparison.Ordinal);
        tool.CloseOutput();

        Assert.Equal(128 + ProcessCalls.SIGPIPE, await tool.WaitAsync());
    }

    [Theory]
    [InlineData(0, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, "a b")]
    [InlineData(126, UnixFileMode.UserRead | UnixFileMode.UserWrite, null)]
    public async Task Run_ScriptWithoutInterpreter_IsTheShellsWhereItIsExecutable(int code, UnixFileMode mode, string? output)
    {
        TemporaryFolder.SkipUnlessProgramsRun();
        using var folder = new TemporaryFolder();
        var file = folder.PathOf("script");
        await File.WriteAllTextAsync(file, "echo $1\n");
#pragma warning disable CA1416 // The constructor has seen that this is Linux.
        File.SetUnixFileMode(file, mode);
#pragma warning restore CA1416
        using var tool = ToolProcess.Start("run", "--per-node", "--nodes", $"{FirstNode.NodeId}", "--", file, "a b");

        Assert.Equal(output is null ? null : $"[node{FirstNode.NodeId}] {output}", await tool.ReadLineAsync());
        Assert.Equal(code, await tool.WaitAsync());
    }

    [Fact]
    public async Task Launcher_WithoutASupervisor_SaysWhatItIsFor()
    {
        using var tool = ToolProcess.Start("exec-on-node");
        tool.CloseInput();

        Assert.Contains("is only for 'numasharp run'", await tool.ReadErrorsAsync(), StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Unusable, await tool.WaitAsync());
    }

    // What is left in the pipe of a process that has ended is its last words: the stack trace, say.
    [Fact]
    public async Task Run_OutputIsReadSlowly_NothingIsLost()
    {
        var time = new ManualTime();
        using var output = new SlowStream();
        using var errors = new OutputProbe();
        using var supervisor = new Supervisor(
            new NodeCommand(NodeRun.Launcher, "/bin/sh", ["sh", "-c", "seq 1 10000"]),
            new SupervisorOptions(),
            new OutputLines(output, errors),
            time);
        var code = supervisor.RunAsync([NodeRun.OneNode()]);
        await output.Entered.Within("the reader has something");

        // Its waits for more begin when the process has ended. It must not give up after any of them.
        await Wait.UntilAsync(() => time.TimerCount != 0);
        for (var waits = 0; waits < 5; waits++)
        {
            time.Tick();
            await Wait.UntilAsync(() => code.IsCompleted || time.TimerCount != 0);
        }

        Assert.False(code.IsCompleted);
        output.Release();
        Assert.Equal(0, await code.Within());
        Assert.EndsWith("[node0] 10000\n", Encoding.UTF8.GetString(output.ToArray()), StringComparison.Ordinal);
    }

    private static async Task<(int Code, string Output, string Errors)> InvokeAsync(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        var code = await NumaCommand.RunAsync(arguments, new ToolConsole(output, errors));
        return (code, output.ToString(), errors.ToString());
    }
}
