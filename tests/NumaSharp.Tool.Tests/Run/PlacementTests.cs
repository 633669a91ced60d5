using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Interop;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>What a started process is, as the kernel reports it.</summary>
public sealed class PlacementTests
{
    // Without the bit of SIGPIPE: it is reset, because the process that starts the tests may ignore it.
    private const string SignalState =
        "grep SigBlk /proc/self/status; echo $((0x$(sed -n 's/^SigIgn:.//p' /proc/self/status) & ~0x1000))";

    [Fact]
    public async Task RunAsync_TwoNodes_EachHasItsCpusPolicyAndEnvironment()
    {
        SkipUnlessPoliciesAreShown();
        var nodes = NodeRun.TwoNodes();

        // Where the policy is refused, the process starts without.
        var policy = KernelMemory.SetPolicyRefusal is null ? $" prefer:{NodeRun.MemoryNode} " : " default ";
        using var run = new NodeRun(
            "grep Cpus_allowed_list /proc/self/status; head -1 /proc/self/numa_maps; echo node is $NUMASHARP_NODE");

        Assert.Equal(0, await run.RunAsync(nodes));

        Assert.All(nodes, node =>
        {
            var prefix = $"[node{node.NodeId}] ";
            var lines = run.Output.Lines.Where(line => line.StartsWith(prefix, StringComparison.Ordinal)).ToArray();
            Assert.Equal(3, lines.Length);
            Assert.Equal($"[node{node.NodeId}] Cpus_allowed_list:\t{node.Cpus}", lines[0]);
            Assert.Contains(policy, lines[1], StringComparison.Ordinal);
            Assert.Equal($"[node{node.NodeId}] node is {node.NodeId}", lines[2]);
        });
    }

    [Fact]
    public async Task RunAsync_Strict_MemoryIsBound()
    {
        SkipUnlessPoliciesAreShown();
        Assert.SkipWhen(
            KernelMemory.SetPolicyRefusal is not null, $"set_mempolicy(2) is refused here: {KernelMemory.SetPolicyRefusal}.");
        using var run = new NodeRun("head -1 /proc/self/numa_maps");

        Assert.Equal(0, await run.RunAsync(NodeRun.OneNode() with { Policy = NodeMemoryPolicy.Strict }));
        Assert.Contains($" bind:{NodeRun.MemoryNode} ", run.Output.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_MemoryNodeIsNotThere_StrictRefusesAndPreferredSaysSo()
    {
        var node = NodeRun.OneNode() with { MemoryNodeId = new(1000) };
        var message = $"set_mempolicy to node 1000 failed: {KernelMemory.SetPolicyRefusal ?? nameof(Errno.EINVAL)}";
        using var strict = new NodeRun("echo started");
        Assert.Equal(ExitCodes.CannotPlace, await strict.RunAsync(node with { Policy = NodeMemoryPolicy.Strict }));
        Assert.Empty(strict.Output.Lines);
        Assert.Contains(message, strict.Errors.Text, StringComparison.Ordinal);

        using var preferred = new NodeRun("echo started");
        Assert.Equal(0, await preferred.RunAsync(node));
        Assert.Equal(["[node0] started"], preferred.Output.Lines);
        Assert.Contains(message, preferred.Errors.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_CpuIsNotThere_CannotBePlaced()
    {
        using var run = new NodeRun("echo started");

        Assert.Equal(ExitCodes.CannotPlace, await run.RunAsync(NodeRun.OnCpu(0, CpuSet.MaxId)));
        Assert.Empty(run.Output.Lines);
        Assert.Contains($"sched_setaffinity to CPUs {CpuSet.MaxId} failed: EINVAL", run.Errors.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_OfOurselves_NothingIsPinned()
    {
        Assert.True(new LinuxAffinityProvider().GetThreadCpus(out var before).Succeeded);
        using var run = new NodeRun("true");
        await run.RunAsync(NodeRun.OneNode());

        Assert.True(new LinuxAffinityProvider().GetThreadCpus(out var after).Succeeded);
        Assert.Equal(before, after);
    }

    // The launcher's runtime opens files and changes signals: nothing of it must be left.
    [Fact]
    public async Task RunAsync_SignalsAndDescriptors_AreThoseOfAnOrdinaryChild()
    {
        const string Script = $"{SignalState}; ls /proc/self/fd";
        var ordinary = await ShellAsync(Script);
        using var run = new NodeRun(Script);
        await run.RunAsync(NodeRun.OneNode());

        Assert.Equal(
            ordinary.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            run.Output.Lines.Select(static line => line["[node0] ".Length..]));
    }

    // .NET ignores it, and a program would inherit that: 'yes | head' would not end.
    [Fact]
    public async Task RunAsync_SigPipe_IsNotIgnored()
    {
        using var run = new NodeRun("sh -c 'kill -PIPE $$'; echo $?");
        await run.RunAsync(NodeRun.OneNode());

        Assert.Equal([$"[node0] {128 + ProcessCalls.SIGPIPE}"], run.Output.Lines);
    }

    [Fact]
    public async Task RunAsync_StandardInput_IsEmpty()
    {
        using var run = new NodeRun("read line || echo nothing to read");

        Assert.Equal(0, await run.RunAsync(NodeRun.OneNode()));
        Assert.Equal(["[node0] nothing to read"], run.Output.Lines);
    }

    [Fact]
    public async Task RunAsync_Arguments_ArriveUnchanged()
    {
        string[] arguments = ["printf", "%s|", "", "a b", "ü", "'\"$HOME", "new\nline"];
        using var run = new NodeRun(arguments);

        await run.RunAsync(NodeRun.OneNode());
        Assert.Equal("[node0] |a b|ü|'\"$HOME|new\n[node0] line|\n", run.Output.Text);
    }

    private static void SkipUnlessPoliciesAreShown() =>
        Assert.SkipUnless(File.Exists("/proc/self/numa_maps"), "This kernel has no /proc/self/numa_maps.");

    private static async Task<string> ShellAsync(string script) =>
        (await ExternalProgram.TryAsync(new ProcessStartInfo("sh", ["-c", script]), input: "")).Output;
}
