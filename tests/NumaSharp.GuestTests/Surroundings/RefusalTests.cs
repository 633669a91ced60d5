using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>A process from which seccomp takes mbind, move_pages and their like, as containers do (EPERM).</summary>
public sealed class RefusalTests : ThreeNodeTests
{
    [Fact]
    public async Task AddNuma_MbindRefused_PinnedThreadsTouchFirstAndItIsReported()
    {
        // Without a policy the kernel may move memory to the node that uses it, and a page would be found there.
        using var balancing = new KernelSetting("kernel/numa_balancing", "0");
        var report = await Child.ProbeAsync(["--refuse"]);

        Assert.Equal(["EPERM", "EPERM", "EPERM", "EPERM"], report.BindErrors);
        Assert.Equal("EPERM", report.QueryError);

        // Node 2 has no CPU to touch from: its nearest, node 0, does.
        Assert.Equal(
            [(0, "default", "0"), (1, "default", "1"), (2, "default", "0")],
            report.Pools.Select(static pool => (pool.NodeId, pool.Policy, pool.PageNodes)));
        Assert.Equal([("memory.bind", 0), ("memory.bind", 1), ("memory.bind", 2)],
            report.Fallbacks.Select(static fallback => (fallback.Feature, fallback.NodeId!.Value.Value)));
        Assert.All(report.Fallbacks, static fallback =>
        {
            Assert.Contains("mbind: EPERM", fallback.Message, StringComparison.Ordinal);
            Assert.Contains("CAP_SYS_NICE", fallback.Remedy, StringComparison.Ordinal);
        });
        Assert.Equal(("Degraded", "Healthy"), (report.Health["numa_memory"], report.Health["numa_topology"]));
    }

    [Fact]
    public async Task AddNuma_MbindRefusedAndStrict_EndsTheStartWithALineForEveryNode()
    {
        var child = await Child.RunAsync("NumaSharp.GuestProbe.dll", ["--refuse", "--Numa:Binding:Mode=Strict"]);

        Assert.Equal(1, child.ExitCode);
        var lines = child.ErrorLines;
        Assert.Equal(3, lines.Count);
        Assert.All(lines, static line =>
        {
            Assert.StartsWith("Numa:Binding:Mode = 'Strict' (command line): ", line, StringComparison.Ordinal);
            Assert.Contains("EPERM", line, StringComparison.Ordinal);
        });
    }
}
