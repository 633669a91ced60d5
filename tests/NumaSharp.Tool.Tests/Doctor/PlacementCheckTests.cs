using NumaSharp.Core;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>Checks of where CPUs, memory, network devices and interrupts are.</summary>
public sealed class PlacementCheckTests : IDisposable
{
    private readonly DoctorFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Examine_HealthyMachine_FindsNothing() => Assert.Empty(_fixture.Examine().Findings);

    [Fact]
    public void Examine_CpusetOfPartsOfNodes_IsFound()
    {
        _fixture.Tree.Write("proc/self/status", "Cpus_allowed_list:\t2-5\nMems_allowed_list:\t0-1\n");
        var finding = _fixture.Find("cpuset-spans-nodes");
        Assert.Contains("CPUs 2-5 on 2 nodes, but only a part of ", finding.Problem, StringComparison.Ordinal);
        Assert.Contains("the CPUs of nodes 0-1.", finding.Problem, StringComparison.Ordinal);
        Assert.Contains("cpuset.cpus=0-3 and cpuset.mems=0", finding.Advice, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0-3")]
    [InlineData("0-7")]
    [InlineData("1-2")]
    public void Examine_CpusetOfWholeNodesOrOfOne_IsHealthy(string cpus)
    {
        _fixture.Tree.Write("proc/self/status", $"Cpus_allowed_list:\t{cpus}\nMems_allowed_list:\t0-1\n");
        _fixture.AssertHealthy("cpuset-spans-nodes");
    }

    [Fact]
    public void Examine_CpusWithoutTheirMemory_AreFound()
    {
        _fixture.Tree.Write("proc/self/status", "Cpus_allowed_list:\t0-7\nMems_allowed_list:\t0\n");
        var finding = _fixture.Find("memory-forbidden");
        Assert.Contains("CPUs 4-7 of node 1", finding.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_IsolatedCpusThatThePlanLeavesOut_AreReported()
    {
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes()) { IsolatedCpus = CpuSet.ParseList("6-9") };
        var finding = _fixture.Find("isolated-cpus");
        Assert.Equal(Severity.Info, finding.Severity);
        Assert.Contains("CPUs 6-7 are isolated and left out", finding.Problem, StringComparison.Ordinal);
        Assert.Contains("Numa:Binding:Cpus=0-7", finding.Advice, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("6-7", null)]
    [InlineData("", "0-7")]
    public void Examine_IsolatedCpusThatAreConfigured_AreFine(string reserved, string? named)
    {
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes()) { IsolatedCpus = CpuSet.ParseList("6-9") };
        _fixture.Request = new NumaPlanRequest
        {
            ReservedCpus = CpuSet.ParseList(reserved),
            Cpus = named is null ? null : CpuSet.ParseList(named),
        };
        _fixture.AssertHealthy("isolated-cpus");
    }

    [Fact]
    public void Examine_OnlyIsolatedCpus_AreFound()
    {
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes()) { IsolatedCpus = CpuSet.ParseList("0-7") };
        var finding = _fixture.Find("isolated-cpus");
        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.Contains("(0-7) are isolated", finding.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_NetworkDeviceAwayFromTheLoops_IsFound()
    {
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes())
        {
            NetworkDevices = [new NumaNetworkDevice("eth0", new(1)), new NumaNetworkDevice("eth1", null)],
        };
        _fixture.AssertHealthy("network-node");

        _fixture.Request = new NumaPlanRequest { Nodes = CpuSet.FromIds(0) };
        Assert.StartsWith("eth0 is attached to node 1", _fixture.Find("network-node").Problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("effective_affinity_list", "0-1", true)]
    [InlineData("smp_affinity_list", "2", true)]
    [InlineData("effective_affinity_list", "5", false)]
    [InlineData("effective_affinity_list", "", false)]
    [InlineData("effective_affinity_list", "rubbish", false)]
    public void Examine_Interrupt_HurtsOnANodeWithoutLoops(string file, string cpus, bool hurts)
    {
        _fixture.Request = new NumaPlanRequest { Nodes = CpuSet.FromIds(1) };
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes())
        {
            NetworkDevices = [new NumaNetworkDevice("eth0", new(1))],
        };
        _fixture.Tree.Write("sys/class/net/eth0/device/msi_irqs/40", "msix\n").Write($"proc/irq/40/{file}", cpus + "\n");

        var findings = _fixture.Examine().Findings.Where(static finding => finding.Id == "irq-affinity").ToArray();

        Assert.Equal(hurts ? 1 : 0, findings.Length);
        Assert.All(findings, finding => Assert.Equal($"/proc/irq/40/{file}", Assert.Single(finding.Evidence).Source));
    }

    [Fact]
    public void Examine_FilesThatMakeNoSense_AreReported()
    {
        _fixture.Tree.Write("sys/devices/system/node/node0/distance", "rubbish\n");
        var finding = _fixture.Find("topology-files");
        Assert.Equal(Severity.Info, finding.Severity);
        Assert.Contains("node0/distance", finding.Evidence[0].Value, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("10 0 0 0 0 0 0 0", "By the kernel's counters CPU 0 has processed 100")]
    [InlineData("60 5 5 5 10 5 5 5", "By the kernel's counters CPU 0 has processed 60")]
    [InlineData("50 10 10 10 5 5 5 5", null)]
    [InlineData("9 0 0 0 0 0 0 0", null)]
    [InlineData("rubbish", null)]
    [InlineData("", null)]
    public void Examine_PacketsOfOneCpu_AreFoundWhereLoopsRunOnMore(string counts, string? problem)
    {
        WriteReceives(counts);
        if (problem is null)
        {
            _fixture.AssertHealthy("softirq-share");
            return;
        }

        var finding = _fixture.Find("softirq-share");
        Assert.StartsWith(problem, finding.Problem, StringComparison.Ordinal);
        Assert.StartsWith("CPU 0 ", finding.Evidence[0].Value, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_PacketsOnANodeWithoutLoops_AreFound()
    {
        _fixture.Request = new NumaPlanRequest { Nodes = CpuSet.FromIds(0) };
        WriteReceives("25 25 20 19 5 0 0 6");
        Assert.StartsWith("By the kernel's counters 11 %", _fixture.Find("softirq-share").Problem, StringComparison.Ordinal);
        WriteReceives("25 25 20 21 4 0 0 5");
        _fixture.AssertHealthy("softirq-share");
    }

    // In units of ten thousand, so that few are many enough.
    private void WriteReceives(string counts)
    {
        const int ColumnsBetween = 11;
        var lines = counts.Split(' ').Select(static (count, cpu) => uint.TryParse(count, out var number)
            ? $"{10_000 * number:x8} {string.Concat(Enumerable.Repeat("00000002 ", ColumnsBetween))}{cpu:x8} 00000000 00000000\n"
            : $"{count}\n");
        _fixture.Tree.Write("proc/net/softnet_stat", string.Concat(lines));
    }
}
