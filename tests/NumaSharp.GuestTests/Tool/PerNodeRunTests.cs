using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Tool;

/// <summary>numasharp run --per-node: a process for each node with CPUs, placed before its program starts.</summary>
public sealed class PerNodeRunTests : ThreeNodeTests
{
    private const string Numasharp = "NumaSharp.Tool.dll";

    // What the shell prints is its own placement, in the kernel's words.
    private const string PrintPlacement =
        "echo node=$NUMASHARP_NODE; grep Cpus_allowed_list /proc/self/status; grep ' [^ ]*:[0-9]* .*stack' /proc/self/numa_maps";

    [Fact]
    public async Task Run_PerNode_EachProcessIsOnItsNode()
    {
        var child = await Child.RunAsync(Numasharp, ["run", "--per-node", "--", "sh", "-c", PrintPlacement]);

        Assert.True(child.Succeeded, child.Errors);
        var lines = child.OutputLines;
        Assert.All(lines, static line => Assert.Matches(@"^\[node[01]\] ", line));
        foreach (var node in TheMachine.CpuNodes)
        {
            var said = lines.Where(line => line.StartsWith($"[node{node}] ", StringComparison.Ordinal)).ToArray();
            Assert.Contains($"[node{node}] node={node}", said);
            Assert.Contains($"[node{node}] Cpus_allowed_list:\t{TheMachine.CpusOf(node)}", said);
            Assert.Contains(said, line => line.Contains($" prefer:{node} ", StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task Run_OneProcessFails_ItsExitCodeIsTheResult()
    {
        var child = await Child.RunAsync(Numasharp, ["run", "--per-node", "--", "sh", "-c", "exit $((40 + NUMASHARP_NODE * 0))"]);
        Assert.Equal(40, child.ExitCode);
    }
}
