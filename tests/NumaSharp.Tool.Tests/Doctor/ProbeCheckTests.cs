using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>Checks that ask the running system.</summary>
public sealed class ProbeCheckTests : IDisposable
{
    private static readonly NumaResult s_refused = new(NumaFailure.NotPermitted, 1, "EPERM");

    private readonly Ward _ward = new();
    private readonly ISystemProbe _probe = Substitute.For<ISystemProbe>();

    public ProbeCheckTests() => _ward.Probe = _probe;

    public void Dispose() => _ward.Dispose();

    [Theory]
    [InlineData(NumaBindMode.Advisory, "Warning")]
    [InlineData(NumaBindMode.Strict, "Error")]
    public void Examine_MbindRefused_IsAsBadAsTheModeNeedsIt(NumaBindMode mode, string severity)
    {
        _probe.TryBind(Arg.Any<int>()).Returns(s_refused);
        _ward.Request = new NumaPlanRequest { BindMode = mode };
        _ward.Tree.Write("proc/self/status", "Name:\tx\nSeccomp:\t2\n");

        var finding = _ward.Find("mbind-refused");

        Assert.Equal(severity, finding.Severity.ToString());
        Assert.Equal([new Evidence("mbind", "EPERM"), new Evidence("/proc/self/status", "Seccomp:\t2")], finding.Evidence);
    }

    [Fact]
    public void Examine_NothingIsBound_DoesNotTry()
    {
        _ward.Request = new NumaPlanRequest { BindMode = NumaBindMode.None };
        _ward.AssertHealthy("mbind-refused");
        _probe.DidNotReceive().TryBind(Arg.Any<int>());
    }

    [Fact]
    public void Examine_OneNodeRefuses_IsFound()
    {
        _probe.TryBind(1).Returns(s_refused);
        Assert.Contains("node 1", _ward.Find("mbind-refused").Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Examine_OtherRefusals_AreFound()
    {
        _probe.TryPin().Returns(s_refused);
        _probe.TryQueryNode().Returns(s_refused);
        Assert.Equal(Severity.Warning, _ward.Find("pinning-refused").Severity);
        Assert.Equal(Severity.Info, _ward.Find("move-pages-refused").Severity);
    }

    [Fact]
    public void Examine_NoRunningSystem_SaysWhatIsLeftOut()
    {
        _ward.Probe = null;
        Assert.Equal(["mbind-refused", "pinning-refused", "move-pages-refused"], _ward.Examine().LeftOut);
        _ward.Probe = _probe;
        Assert.Empty(_ward.Examine().LeftOut);
    }

    [Fact]
    public void SystemProbe_ThisMachine_AnswersAndLeavesTheMaskAsItIs()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has affinity masks.");
        var platform = NumaPlatform.Default;
        platform.Affinity.GetThreadCpus(out var before);
        var probe = new SystemProbe(platform);

        Assert.True(probe.TryPin().Succeeded);
        var bound = probe.TryBind(NumaTopology.Instance.MemoryNodes.First);
        Assert.True(bound is { Failure: NumaFailure.None or NumaFailure.NotPermitted });
        Assert.True(probe.TryQueryNode() is { Failure: NumaFailure.None or NumaFailure.NotPermitted });

        platform.Affinity.GetThreadCpus(out var after);
        Assert.Equal(before, after);
    }
}
