using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Affinity;

public sealed class ThreadAffinityTests
{
    private static readonly NumaResult s_refused = new(NumaFailure.NotPermitted, 1, "EPERM");

    private readonly LinuxAffinityProvider _linux = new();
    private readonly NumaFallbacks _fallbacks = new();

    private CpuSet ReadMask()
    {
        _linux.GetThreadCpus(out var cpus).ThrowIfFailed("sched_getaffinity");
        return cpus;
    }

    [Fact]
    public void Pin_ThenDispose_SetsAndRestoresTheMask()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        TestThreads.Run(() =>
        {
            var before = ReadMask();
            var one = CpuSet.FromIds(before.Last);
            using (var affinity = ThreadAffinity.Pin(_linux, one, _fallbacks))
            {
                Assert.True(affinity.IsPinned);
                Assert.Equal(one, ReadMask());
            }

            Assert.Equal(before, ReadMask());
        });
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Pin_NestedInAnother_RestoresTheOuterMask()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        TestThreads.Run(() =>
        {
            var all = ReadMask();
            using var outer = ThreadAffinity.Pin(_linux, CpuSet.FromIds(all.First), _fallbacks);
            using (ThreadAffinity.Pin(_linux, CpuSet.FromIds(all.Last), _fallbacks))
            {
                Assert.Equal(all.Last, ReadMask().First);
            }

            Assert.Equal(CpuSet.FromIds(all.First), ReadMask());
        });
    }

    [Fact]
    public void Pin_NativeThreadStartedMeanwhile_InheritsTheMaskAndKeepsIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        TestThreads.Run(() =>
        {
            var one = CpuSet.FromIds(ReadMask().Last);
            NativeThread child;
            using (ThreadAffinity.Pin(_linux, one, _fallbacks))
            {
                child = NativeThread.Start();
            }

            Assert.Equal(one, child.Join());
        });
    }

    [Fact]
    public void Pin_ManagedThreadStartedMeanwhile_HasTheMaskOfTheMainThread()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        TestThreads.Run(() =>
        {
            ThreadMask.Read(Environment.ProcessId, out var ofMainThread).ThrowIfFailed("sched_getaffinity");
            CpuSet? inherited = null;
            using (ThreadAffinity.Pin(_linux, CpuSet.FromIds(ReadMask().Last), _fallbacks))
            {
                TestThreads.Run(() => { inherited = ReadMask(); });
            }

            Assert.Equal(ofMainThread, inherited);
        });
    }

    [Fact]
    public void Pin_Refused_IsReportedAndDisposeDoesNothing()
    {
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.GetThreadCpus(out Arg.Any<CpuSet>()).Returns(NumaResult.Success);
        provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(s_refused);

        var affinity = ThreadAffinity.Pin(provider, CpuSet.FromIds(3), _fallbacks, nodeId: new(1));
        affinity.Dispose();

        Assert.False(affinity.IsPinned);
        Assert.Equal(s_refused, affinity.Result);
        provider.Received(1).SetThreadCpus(Arg.Any<CpuSet>());
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("affinity.pin", 1), (fallback.Feature, fallback.NodeId?.Value));
        Assert.Contains("EPERM", fallback.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Pin_MaskCannotBeRead_IsNotChanged()
    {
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.GetThreadCpus(out Arg.Any<CpuSet>()).Returns(s_refused);

        using var affinity = ThreadAffinity.Pin(provider, CpuSet.FromIds(3), _fallbacks);

        Assert.False(affinity.IsPinned);
        provider.DidNotReceive().SetThreadCpus(Arg.Any<CpuSet>());
        Assert.Equal(1, _fallbacks.ReportCount);
    }

    [Fact]
    public void Dispose_RestoringRefused_IsReported()
    {
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.GetThreadCpus(out Arg.Any<CpuSet>()).Returns(call =>
        {
            call[0] = CpuSet.Range(0, 8);
            return NumaResult.Success;
        });
        provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(NumaResult.Success, s_refused);

        var affinity = ThreadAffinity.Pin(provider, CpuSet.FromIds(3), _fallbacks);
        affinity.Dispose();
        affinity.Dispose();

        Assert.Equal("affinity.restore", Assert.Single(_fallbacks.Current).Feature);
        provider.Received(2).SetThreadCpus(Arg.Any<CpuSet>());
    }

    [Fact]
    public void Dispose_OnAnotherThread_ThrowsAndChangesNothing()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        TestThreads.Run(() =>
        {
            var one = CpuSet.FromIds(ReadMask().Last);
            using var affinity = ThreadAffinity.Pin(_linux, one, _fallbacks);
            var thrown = TestThreads.Run(() => Record.Exception(affinity.Dispose));

            Assert.IsType<InvalidOperationException>(thrown);
            Assert.True(affinity.IsPinned);
            Assert.Equal(one, ReadMask());
        });
    }

    [Fact]
    public void Pin_ProviderThrows_IsARefusal()
    {
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.GetThreadCpus(out Arg.Any<CpuSet>()).Returns(NumaResult.Success);
        provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(static _ => throw new InvalidTimeZoneException("broken plugin"));
        using var affinity = ThreadAffinity.Pin(provider, CpuSet.FromIds(3), _fallbacks);
        Assert.False(affinity.IsPinned);
        Assert.Contains("broken plugin", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Pin_ProviderThrowsWhenAskedForTheMask_IsARefusal()
    {
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.GetThreadCpus(out Arg.Any<CpuSet>()).Returns(static _ => throw new InvalidTimeZoneException("broken plugin"));
        using var affinity = ThreadAffinity.Pin(provider, CpuSet.FromIds(3), _fallbacks);
        Assert.False(affinity.IsPinned);
        Assert.Contains("broken plugin", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
        provider.DidNotReceive().SetThreadCpus(Arg.Any<CpuSet>());
    }

    [Fact]
    public void Pin_MissingArgument_Throws()
    {
        Assert.Throws<ArgumentNullException>(() => ThreadAffinity.Pin(null!, CpuSet.FromIds(0), _fallbacks));
        Assert.Throws<ArgumentNullException>(() => ThreadAffinity.Pin(_linux, null!, _fallbacks));
        Assert.Throws<ArgumentNullException>(() => ThreadAffinity.Pin(_linux, CpuSet.FromIds(0), null!));
    }
}
