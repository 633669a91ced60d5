using NumaSharp.Tool.Doctor;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>Whether the kubelet gave a pod one node, from the files of its container.</summary>
public sealed class KubernetesCheckTests : IDisposable
{
    private const string Guaranteed = "/kubepods.slice/kubepods-pod1234.slice/cri-containerd-abcd.scope";
    private const string Burstable = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234.slice/cri-x.scope";
    private const string OwnNamespace = "/";

    private readonly DoctorFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Examine_NotRequested_FindsNothing()
    {
        Pod(Burstable, "0-7", "0-1", "max 100000");
        _fixture.IsInPod = false;
        Assert.Empty(_fixture.Examine().Findings);
    }

    [Fact]
    public void Examine_NotAPod_IsAnError()
    {
        _fixture.Tree.Write("proc/self/cgroup", "0::/user.slice/session.scope\n");
        _fixture.IsInPod = true;
        var finding = _fixture.Find("kubernetes-pod");
        Assert.Equal(Severity.Error, finding.Severity);
        Assert.Contains("KUBERNETES_SERVICE_HOST", finding.Problem, StringComparison.Ordinal);
        _fixture.AssertHealthy("kubernetes-cpus");
    }

    [Theory]
    [InlineData(Guaranteed)]
    [InlineData(OwnNamespace)]
    [InlineData("/kubelet/kubepods/pod1234/abcd")]
    public void Examine_WholeCpusOfOneNode_SaysWhich(string path)
    {
        Pod(path, "4-6", "1", "300000 100000");
        var finding = _fixture.Find("kubernetes-cpus");
        Assert.Equal(Severity.Info, finding.Severity);
        Assert.Equal("The kubelet gave the container CPUs 4-6, all on node 1.", finding.Problem);
        Assert.False(_fixture.Examine().IsAtLeast(Severity.Warning));
        _fixture.AssertHealthy("kubernetes-memory");
    }

    [Fact]
    public void Examine_ExclusiveCpusWithoutQuota_AreHeldForExclusive()
    {
        Pod(Guaranteed, "1-3", "0", "max 100000");
        Assert.Equal(Severity.Info, _fixture.Find("kubernetes-cpus").Severity);
    }

    [Fact]
    public void Examine_CpusOfTwoNodes_AreFound()
    {
        Pod(Guaranteed, "2-5", "0-1", "400000 100000");
        var finding = _fixture.Find("kubernetes-cpus");
        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.Contains("gave the container CPUs 2-5 of nodes 0-1", finding.Problem, StringComparison.Ordinal);
        Assert.Contains("single-numa-node", finding.Advice, StringComparison.Ordinal);
        Assert.Contains("than a node has: 4", finding.Advice, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(OwnNamespace, "150000 100000", "its limit is 1.5 CPUs")]
    [InlineData(OwnNamespace, "max 100000", "it has no limit")]
    [InlineData(Burstable, "200000 100000", "its limit is 2 CPUs")]
    public void Examine_SharedPool_IsFound(string path, string quota, string use)
    {
        Pod(path, "0-7", "0-1", quota);
        var finding = _fixture.Find("kubernetes-cpus");
        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.Contains("CPUs 0-7 of nodes 0-1 with other pods", finding.Problem, StringComparison.Ordinal);
        Assert.Contains(use, finding.Problem, StringComparison.Ordinal);
        Assert.Contains("cpuManagerPolicy: static", finding.Advice, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Burstable, "Burstable")]
    [InlineData("/kubepods/besteffort/pod1234/abcd", "BestEffort")]
    public void Examine_ClassInThePath_IsNamed(string path, string name)
    {
        Pod(path, "0-7", "0-1", "max 100000");
        var finding = _fixture.Find("kubernetes-pod");
        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.Contains($"class is {name}", finding.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_MemoryOfOtherNodes_IsReported()
    {
        Pod(Guaranteed, "0-2", "0-1", "300000 100000");
        var finding = _fixture.Find("kubernetes-memory");
        Assert.Equal(Severity.Info, finding.Severity);
        Assert.Contains("comes from nodes 1", finding.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_Version1_IsReadAlike()
    {
        _fixture.IsInPod = true;
        _fixture.Tree.Write(
                "proc/mounts",
                "c /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\nc /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n")
            .Write("proc/self/cgroup", "4:cpu,cpuacct:/kubepods/pod1/a\n3:cpuset:/kubepods/pod1/a\n")
            .Write("sys/fs/cgroup/cpuset/kubepods/pod1/a/cpuset.cpus", "4-7\n")
            .Write("sys/fs/cgroup/cpuset/kubepods/pod1/a/cpuset.mems", "1\n")
            .Write("sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/a/cpu.cfs_quota_us", "-1\n")
            .Write("sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/a/cpu.cfs_period_us", "100000\n")
            .Write("sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/cpu.cfs_quota_us", "400000\n")
            .Write("sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/cpu.cfs_period_us", "100000\n")
            .Write("sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/a/cpu.stat", "nr_periods 50\nnr_throttled 3\nthrottled_time 9\n");
        Assert.Equal("The kubelet gave the container CPUs 4-7, all on node 1.", _fixture.Find("kubernetes-cpus").Problem);
        Assert.Contains("in 3 of 50 periods", _fixture.Find("kubernetes-throttled").Problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("100000")]
    [InlineData("lots 100000")]
    [InlineData("100000 0")]
    [InlineData("-5 100000")]
    public void Find_QuotaThatMakesNoSense_IsNone(string text)
    {
        Pod(Guaranteed, "0-2", "0", text);
        Assert.Null(CpuQuota.Find(new TreeReader(_fixture.Tree.PathOf(""))));
    }

    private void Pod(string path, string cpus, string mems, string quota)
    {
        var folder = $"sys/fs/cgroup{path.TrimEnd('/')}";
        _fixture.IsInPod = true;
        _fixture.Environment[PodCgroup.Variable] = "10.0.0.1";
        _fixture.Tree.Write("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
            .Write("proc/self/cgroup", $"0::{path}\n")
            .Write($"{folder}/cpuset.cpus.effective", cpus + "\n")
            .Write($"{folder}/cpuset.mems.effective", mems + "\n")
            .Write($"{folder}/cpu.max", quota + "\n")
            .Write($"{folder}/cpu.stat", "nr_periods 50\nnr_throttled 0\n");
    }
}
