using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>Checks that ask the running system.</summary>
public sealed class ProbeCheckTests : IDisposable
{
    private static readonly NumaResult s_refused = new(NumaFailure.NotPermitted, 1, "EPERM");

    private readonly DoctorFixture _fixture = new();
    private readonly ISystemProbe _probe = Substitute.For<ISystemProbe>();

    public ProbeCheckTests()
    {
        _probe.IsLinux.Returns(true);
        _fixture.Probe = _probe;
    }

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(NumaBindMode.Advisory, "Warning")]
    [InlineData(NumaBindMode.Strict, "Error")]
    public void Examine_MbindRefused_IsAsBadAsTheModeNeedsIt(NumaBindMode mode, string severity)
    {
        _probe.TryBind(Arg.Any<NumaNodeId>(), mode == NumaBindMode.Strict).Returns(s_refused);
        _fixture.Request = new NumaPlanRequest { BindMode = mode };
        _fixture.Tree.Write("proc/self/status", "Name:\tx\nSeccomp:\t2\n");

        var finding = _fixture.Find("mbind-refused");

        Assert.Equal(severity, finding.Severity.ToString());
        Assert.Equal([new Evidence("mbind", "EPERM"), new Evidence("/proc/self/status", "Seccomp:\t2")], finding.Evidence);
    }

    [Fact]
    public void Examine_MbindRefusedWhereOneNodesMemoryIsAllowed_IsNoHarm()
    {
        _probe.TryBind(Arg.Any<NumaNodeId>(), Arg.Any<bool>()).Returns(s_refused);
        _fixture.Topology = DoctorFixture.TwoNodes(static node => node with { IsMemoryAllowed = node.NodeId == 0 });

        Assert.Equal(Severity.Info, _fixture.Find("mbind-refused").Severity);
        _fixture.Request = new NumaPlanRequest { BindMode = NumaBindMode.Strict };
        Assert.Equal(Severity.Error, _fixture.Find("mbind-refused").Severity);
    }

    [Theory]
    [InlineData(NumaFailure.NotPermitted, "seccomp", 2)]
    [InlineData(NumaFailure.NotSupported, "CONFIG_NUMA", 2)]
    [InlineData(NumaFailure.InvalidArgument, "cpuset.mems", 1)]
    [InlineData(NumaFailure.OutOfMemory, "vm.max_map_count", 1)]
    [InlineData(NumaFailure.Other, "mbind(2)", 1)]
    public void Examine_MbindFails_AdviceFitsTheError(NumaFailure failure, string advice, int evidence)
    {
        _probe.TryBind(Arg.Any<NumaNodeId>(), Arg.Any<bool>()).Returns(new NumaResult(failure, 1, "E"));
        var finding = _fixture.Find("mbind-refused");
        Assert.Contains(advice, finding.Advice, StringComparison.Ordinal);
        Assert.Equal(evidence, finding.Evidence.Count);
    }

    [Theory]
    [InlineData(NumaFailure.NotPermitted, NumaBindMode.Strict)]
    [InlineData(NumaFailure.NotSupported, NumaBindMode.Strict)]
    [InlineData(NumaFailure.NotSupported, NumaBindMode.Advisory)]
    [InlineData(NumaFailure.OutOfMemory, NumaBindMode.Advisory)]
    public void Examine_RefusedElsewhere_SaysNothingOfLinux(NumaFailure failure, NumaBindMode mode)
    {
        var refused = new NumaResult(failure, 50, "ERROR_NOT_SUPPORTED");
        _probe.IsLinux.Returns(false);
        _probe.TryBind(Arg.Any<NumaNodeId>(), Arg.Any<bool>()).Returns(refused);
        _probe.TryPin().Returns(refused);
        _probe.TryQueryNode().Returns(refused);
        _fixture.Request = new NumaPlanRequest { BindMode = mode };

        var text = string.Join('\n', _fixture.Examine().Findings
            .Where(static finding => finding.Id.EndsWith("-refused", StringComparison.Ordinal))
            .SelectMany(static finding => finding.Evidence.Select(static one => $"{one}").Prepend(finding.Advice)));

        Assert.Contains("ERROR_NOT_SUPPORTED", text, StringComparison.Ordinal);
        Assert.DoesNotContain("seccomp", text, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("proc/", text, StringComparison.Ordinal);
        Assert.DoesNotContain("mbind", text, StringComparison.Ordinal);
        Assert.DoesNotContain("CONFIG_NUMA", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_NothingIsBound_DoesNotTry()
    {
        _fixture.Request = new NumaPlanRequest { BindMode = NumaBindMode.None };
        _fixture.AssertHealthy("mbind-refused");
        _probe.DidNotReceive().TryBind(Arg.Any<NumaNodeId>(), Arg.Any<bool>());
    }

    [Fact]
    public void Examine_OneNodeRefuses_IsFound()
    {
        _probe.TryBind(new(1), false).Returns(s_refused);
        Assert.Contains("node 1", _fixture.Find("mbind-refused").Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_OtherRefusals_AreFound()
    {
        _probe.TryPin().Returns(s_refused);
        _probe.TryQueryNode().Returns(s_refused);
        Assert.Equal(Severity.Warning, _fixture.Find("pinning-refused").Severity);
        Assert.Equal(Severity.Info, _fixture.Find("move-pages-refused").Severity);
    }

    [Fact]
    public void Examine_NoRunningSystem_SaysWhatIsLeftOut()
    {
        _fixture.Probe = null;
        Assert.Equal(["mbind-refused", "pinning-refused", "move-pages-refused"], _fixture.Examine().LeftOut);
        _fixture.Probe = _probe;
        Assert.Empty(_fixture.Examine().LeftOut);
    }

    [Fact]
    public void SystemProbe_ThisMachine_AnswersAndLeavesTheMaskAsItIs()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has affinity masks.");
        var platform = NumaPlatform.Default;
        platform.Affinity.GetThreadCpus(out var before);
        var probe = new SystemProbe(platform);

        Assert.True(probe.IsLinux);
        Assert.True(probe.TryPin().Succeeded);
        var bound = probe.TryBind(new(NumaTopology.Instance.MemoryNodes.First), isStrict: true);
        Assert.True(bound is { Failure: NumaFailure.None or NumaFailure.NotPermitted });
        Assert.True(probe.TryQueryNode() is { Failure: NumaFailure.None or NumaFailure.NotPermitted });

        platform.Affinity.GetThreadCpus(out var after);
        Assert.Equal(before, after);
    }
}
