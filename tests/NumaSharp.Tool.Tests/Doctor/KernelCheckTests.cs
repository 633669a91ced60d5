using NumaSharp.Core;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>Checks of one kernel file each.</summary>
public sealed class KernelCheckTests : IDisposable
{
    private readonly DoctorFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData("numa-balancing", "proc/sys/kernel/numa_balancing", "1", "Warning")]
    [InlineData("numa-balancing", "proc/sys/kernel/numa_balancing", "3", "Warning")]
    [InlineData("zone-reclaim", "proc/sys/vm/zone_reclaim_mode", "1", "Warning")]
    [InlineData("overcommit", "proc/sys/vm/overcommit_memory", "2", "Info")]
    [InlineData("listen-backlog", "proc/sys/net/core/somaxconn", "128", "Warning")]
    [InlineData("transparent-hugepages", "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never", "Info")]
    [InlineData("numa-off", "proc/cmdline", "quiet numa=off", "Warning")]
    public void Examine_FileThatHurts_IsFoundWithItsValue(string id, string file, string value, string severity)
    {
        _fixture.Tree.Write(file, value + "\n");
        var finding = _fixture.Find(id);
        Assert.Equal(severity, finding.Severity.ToString());
        Assert.Equal("/" + file, finding.Evidence[0].Source);
        Assert.Contains(finding.Evidence[0].Value, value, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("numa-balancing", "proc/sys/kernel/numa_balancing", "0")]
    [InlineData("numa-balancing", "proc/sys/kernel/numa_balancing", "2")]
    [InlineData("numa-balancing", "proc/sys/kernel/numa_balancing", "rubbish")]
    [InlineData("zone-reclaim", "proc/sys/vm/zone_reclaim_mode", "0")]
    [InlineData("overcommit", "proc/sys/vm/overcommit_memory", "0")]
    [InlineData("overcommit", "proc/sys/vm/overcommit_memory", "1")]
    [InlineData("listen-backlog", "proc/sys/net/core/somaxconn", "512")]
    [InlineData("transparent-hugepages", "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")]
    [InlineData("numa-off", "proc/cmdline", "quiet numa=fake=2")]
    [InlineData("low-memory", "sys/devices/system/node/node0/meminfo", "rubbish")]
    public void Examine_FileThatDoesNot_IsNotFound(string id, string file, string value)
    {
        _fixture.Tree.Write(file, value + "\n");
        _fixture.AssertHealthy(id);
    }

    [Theory]
    [InlineData("always [madvise] never", true)]
    [InlineData("always madvise [never]", false)]
    public void Examine_DefragAlways_HurtsWhereThereAreHugePages(string enabled, bool hurts)
    {
        _fixture.Tree.Write("sys/kernel/mm/transparent_hugepage/enabled", enabled + "\n")
            .Write("sys/kernel/mm/transparent_hugepage/defrag", "[always] defer defer+madvise madvise never\n");
        Assert.Equal(hurts, _fixture.Finds("transparent-hugepages"));
    }

    [Theory]
    [InlineData("powersave", "acpi-cpufreq", true)]
    [InlineData("powersave", "intel_pstate", false)]
    [InlineData("performance", "acpi-cpufreq", false)]
    public void Examine_Governor_HurtsWhenItIsSlow(string governor, string driver, bool hurts)
    {
        _fixture.Tree.Write("sys/devices/system/cpu/cpu5/cpufreq/scaling_governor", governor + "\n")
            .Write("sys/devices/system/cpu/cpu5/cpufreq/scaling_driver", driver + "\n");
        var found = _fixture.Examine().Findings.SingleOrDefault(static finding => finding.Id == "cpu-governor");
        Assert.Equal(hurts, found is not null);
        Assert.True(found is null || found.Problem.StartsWith("CPUs 5 of the plan", StringComparison.Ordinal));
    }

    [Fact]
    public void Examine_NodeNearlyFull_IsFound()
    {
        _fixture.Tree.Write("sys/devices/system/node/node1/meminfo", """
            Node 1 MemTotal: 1048576 kB
            Node 1 MemFree: 10000 kB
            Node 1 Active(file): 10000 kB
            Node 1 Inactive(file): 10000 kB
            """);
        Assert.StartsWith("Node 1 has 29.3 MiB of 1 GiB free", _fixture.Find("low-memory").Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_SlowMemoryWithoutDemotion_IsFound()
    {
        _fixture.Tree.Write("sys/kernel/mm/numa/demotion_enabled", "false\n");
        _fixture.AssertHealthy("memory-demotion");

        _fixture.Topology = DoctorFixture.TwoNodes(static node => node.NodeId == 1
            ? node with { Cpus = CpuSet.Empty, OnlineCpus = CpuSet.Empty, Kind = NumaNodeKind.Memory }
            : node);
        Assert.Contains("Nodes 1 have memory and no CPUs", _fixture.Find("memory-demotion").Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_OneNode_HasNoTroublesOfSeveral()
    {
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes().Take(1));
        _fixture.Tree.Write("proc/sys/kernel/numa_balancing", "1\n").Write("proc/sys/vm/zone_reclaim_mode", "1\n");
        Assert.Equal(["single-node"], _fixture.Examine().Findings.Select(static finding => finding.Id));
    }

    [Theory]
    [InlineData("0", "There is one node: ", true)]
    [InlineData("0-1", "The process may use only one of the machine's nodes 0-1: ", false)]
    public void Examine_OneNode_TellsThatOfTheMachineFromThatOfTheProcess(string online, string problem, bool mayBeFirmware)
    {
        _fixture.Topology = new NumaTopology("Test", DoctorFixture.Nodes().Take(1));
        _fixture.Tree.Write("sys/devices/system/node/online", online + "\n");
        var finding = _fixture.Find("single-node");
        Assert.StartsWith(problem, finding.Problem, StringComparison.Ordinal);
        Assert.Equal(mayBeFirmware, finding.Advice.Contains("firmware", StringComparison.Ordinal));
    }
}
