using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Affinity;

public sealed class PinningTests : ThreeNodeTests
{
    private readonly INumaAffinityProvider _affinity = NumaPlatform.Default.Affinity;
    private readonly NumaFallbacks _fallbacks = new();

    /// <summary>Every set that can be made of the four CPUs.</summary>
    public static TheoryData<string> AllSets =>
        [.. Enumerable.Range(1, 15).Select(static mask => CpuSet.FromWords([(ulong)mask]).ToString())];

    [Theory]
    [MemberData(nameof(AllSets))]
    public void Pin_AnySetOfCpus_IsWhatTheKernelHasAndWhereTheThreadRuns(string list)
    {
        var cpus = CpuSet.ParseList(list);
        TestThreads.RunOn(TheMachine.AllCpus, () =>
        {
            using (var pinned = ThreadAffinity.Pin(_affinity, cpus, _fallbacks))
            {
                Assert.True(pinned.IsPinned);
                Assert.Equal(list, ThreadStatus.Of("/proc/thread-self").CpusAllowed);
                _affinity.GetCurrent(out var cpu, out var node).ThrowIfFailed("getcpu");
                Assert.Contains(cpu, cpus);
                Assert.Equal(TheMachine.NodeOfCpu(cpu), node.Value);
            }

            Assert.Equal(TheMachine.AllCpus.ToString(), ThreadStatus.Of("/proc/thread-self").CpusAllowed);
        });
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Pin_CpuThatTheMachineLacks_IsRefusedAndTheThreadStaysWhereItWas() => TestThreads.RunOn(TheMachine.CpusOf(1), () =>
    {
        using var pinned = ThreadAffinity.Pin(_affinity, CpuSet.FromIds(4), _fallbacks, nodeId: new(1));
        Assert.Equal((false, "EINVAL"), (pinned.IsPinned, pinned.Result.ErrorName));
        Assert.Equal("2-3", ThreadStatus.Of("/proc/thread-self").CpusAllowed);
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("affinity.pin", 1), (fallback.Feature, fallback.NodeId?.Value));
    });

    [Fact]
    public void Pin_PartlyThere_IsConfinedToThatPart() => TestThreads.RunOn(TheMachine.AllCpus, () =>
    {
        using var pinned = ThreadAffinity.Pin(_affinity, CpuSet.Range(3, 8), _fallbacks);
        _affinity.GetThreadCpus(out var cpus).ThrowIfFailed("sched_getaffinity");
        Assert.Equal("3", cpus.ToString());
    });

    [Fact]
    public void Pin_OnAThread_DoesNotConfineTheManagedThreadsItStarts() => TestThreads.RunOn(TheMachine.CpusOf(1), static () =>
    {
        var allowed = "";
        var child = new Thread(() => allowed = ThreadStatus.Of("/proc/thread-self").CpusAllowed);
        child.Start();
        Wait.For(child);
        Assert.Equal(TheMachine.AllCpus.ToString(), allowed);
    });

    [Fact]
    public void Read_OnAPinnedThread_SeesTheWholeMachine() => TestThreads.RunOn(TheMachine.CpusOf(1), static () =>
        Assert.Equal(TheMachine.AllCpus, new LinuxTopologyProvider().Read().AllowedCpus));
}
