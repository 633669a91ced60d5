using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Affinity;

// Whether a thread was confined is remembered by thread, so that each test has one of its own.
public sealed class WindowsAffinityProviderTests
{
    private const ulong Group48 = ulong.MaxValue >> 16;
    private static readonly CpuSet s_wide = CpuSet.Range(0, 128);

    [Fact]
    public void SetThreadCpus_OneGroup_IsItsMask() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(0, Group48);
        var provider = new WindowsAffinityProvider(threads, Machines.TwoGroups());

        Assert.True(provider.SetThreadCpus(CpuSet.ParseList("66-67")).Succeeded);
        Assert.Equal(new GroupAffinity(1, 0xC), threads.Affinity);
        Assert.True(provider.GetThreadCpus(out var cpus).Succeeded);
        Assert.Equal(CpuSet.ParseList("66-67"), cpus);
    });

    [Fact]
    public void SetThreadCpus_SeveralGroupsWithCpuSets_SelectsAll() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(1, ulong.MaxValue) { Selected = [] };
        var provider = new WindowsAffinityProvider(threads, Machines.WideNode());

        Assert.True(provider.SetThreadCpus(CpuSet.ParseList("0-3,64-65")).Succeeded);
        Assert.Empty(threads.Confined);
        Assert.Equal([new GroupAffinity(0, 0xF), new GroupAffinity(1, 0x3)], threads.Selected);
        provider.GetThreadCpus(out var cpus);
        Assert.Equal(CpuSet.ParseList("0-3,64-65"), cpus);
    });

    [Fact]
    public void SetThreadCpus_SeveralGroupsWithoutCpuSets_SpreadsThreadsByCpus() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(0, ulong.MaxValue);
        var provider = new WindowsAffinityProvider(threads, Machines.WideNode());
        var cpus = CpuSet.ParseList("0-5,64-65");
        for (var i = 0; i < 80; i++)
        {
            Assert.True(provider.SetThreadCpus(cpus).Succeeded);
            provider.GetThreadCpus(out var part);
            Assert.True(part.IsSubsetOf(cpus));
        }

        // 6 of 8 CPUs are in group 0: of any few threads about as many.
        Assert.InRange(threads.Confined.Count(static affinity => affinity.Group == 0), 58, 62);
        Assert.InRange(threads.Confined.Take(8).Count(static affinity => affinity.Group == 0), 5, 7);
        Assert.All(threads.Confined, static affinity => Assert.Equal(affinity.Group == 0 ? 0x3Fu : 0x3u, affinity.Mask));
    });

    [Fact]
    public void SetThreadCpus_SeveralGroupsAfterOne_StaysInAGroup() => TestThreads.Run(() =>
    {
        // There is no way back from SetThreadGroupAffinity, and what is reported afterwards is true.
        var threads = new FakeThreads(0, ulong.MaxValue) { Selected = [] };
        var provider = new WindowsAffinityProvider(threads, Machines.WideNode());
        provider.SetThreadCpus(CpuSet.FromIds(64));

        Assert.True(provider.SetThreadCpus(s_wide).Succeeded);
        provider.GetThreadCpus(out var cpus);
        Assert.True(cpus.Equals(CpuSet.Range(0, 64)) || cpus.Equals(CpuSet.Range(64, 64)), cpus.ToString());
    });

    [Fact]
    public void SetThreadCpus_OneGroupAfterSeveral_ForgetsTheCpuSet() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(0, ulong.MaxValue) { Selected = [] };
        var provider = new WindowsAffinityProvider(threads, Machines.WideNode());
        provider.SetThreadCpus(CpuSet.FromIds(0, 64));
        provider.SetThreadCpus(CpuSet.FromIds(1, 2));

        Assert.NotNull(threads.Selected);
        Assert.Empty(threads.Selected);
        provider.GetThreadCpus(out var cpus);
        Assert.Equal(CpuSet.FromIds(1, 2), cpus);
    });

    [Fact]
    public void SetThreadCpus_None_IsInvalid() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(0, 1);
        Assert.Equal(
            NumaFailure.InvalidArgument,
            new WindowsAffinityProvider(threads, Machines.Desktop()).SetThreadCpus(CpuSet.Empty).Failure);
        Assert.Empty(threads.Confined);
    });

    [Fact]
    public void SetThreadCpus_Refused_IsTheSystemsReasonAndConfinesNothing() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(0, ulong.MaxValue) { Selected = [], Error = Win32Error.ERROR_ACCESS_DENIED };
        var provider = new WindowsAffinityProvider(threads, Machines.WideNode());
        Assert.Equal(
            new NumaResult(NumaFailure.NotPermitted, 5, "ERROR_ACCESS_DENIED"), provider.SetThreadCpus(CpuSet.FromIds(0)));

        threads.Error = 0;
        provider.GetThreadCpus(out var cpus);
        Assert.Equal(s_wide, cpus);
    });

    [Fact]
    public void GetThreadCpus_FreeThreadOfServer2022_IsAllGroups() => TestThreads.Run(() =>
    {
        var provider = new WindowsAffinityProvider(new FakeThreads(1, ulong.MaxValue) { Selected = [] }, Machines.WideNode());
        Assert.True(provider.GetThreadCpus(out var cpus).Succeeded);
        Assert.Equal(s_wide, cpus);
    });

    [Fact]
    public void GetThreadCpus_ThreadConfinedByOtherCode_IsItsMask() => TestThreads.Run(() =>
    {
        var provider = new WindowsAffinityProvider(new FakeThreads(1, 0xFF) { Selected = [] }, Machines.WideNode());
        provider.GetThreadCpus(out var cpus);
        Assert.Equal(CpuSet.Range(64, 8), cpus);
    });

    [Fact]
    public void GetThreadCpus_BeforeServer2022_IsTheGroup() => TestThreads.Run(() =>
    {
        var provider = new WindowsAffinityProvider(new FakeThreads(1, Group48), Machines.TwoGroups());
        provider.GetThreadCpus(out var cpus);
        Assert.Equal(CpuSet.Range(64, 48), cpus);
    });

    [Fact]
    public void GetThreadCpus_Fails_IsEmptyWithTheReason() => TestThreads.Run(() =>
    {
        var threads = new FakeThreads(0, 1) { Error = Win32Error.ERROR_GEN_FAILURE };
        var result = new WindowsAffinityProvider(threads, Machines.Desktop()).GetThreadCpus(out var cpus);
        Assert.Equal("ERROR_GEN_FAILURE", result.ErrorName);
        Assert.True(cpus.IsEmpty);
    });

    [Fact]
    public void GetCurrent_IsIdAndNode()
    {
        var machine = Machines.WideNode();
        machine.NodeMasks[7] = [(1, 1UL << 63)];
        machine.NodeMasks[0] = [(0, ulong.MaxValue)];
        var provider = new WindowsAffinityProvider(new FakeThreads(0, 1) { Current = new ProcessorNumber(1, 63) }, machine);
        Assert.True(provider.GetCurrent(out var cpu, out var nodeId).Succeeded);
        Assert.Equal((127, 7), (cpu, nodeId.Value));
    }

    [Fact]
    public void GetCurrent_SystemThatCannotTellTheNode_LooksIntoTheRecords()
    {
        var threads = new FakeThreads(0, 1) { Current = new ProcessorNumber(1, 3) };
        var provider = new WindowsAffinityProvider(threads, Machines.TwoGroups());
        Assert.True(provider.GetCurrent(out var cpu, out var nodeId).Succeeded);
        Assert.Equal((67, 1), (cpu, nodeId.Value));
    }

    [Fact]
    public void GetCurrent_NodeThatNothingTells_IsAFailure()
    {
        var machine = Machines.TwoGroups();
        machine.Records = [1, 2, 3];
        var provider = new WindowsAffinityProvider(new FakeThreads(0, 1), machine);
        Assert.Equal(NumaFailure.InvalidArgument, provider.GetCurrent(out _, out _).Failure);
    }

    [Fact]
    public void OffWindows_EverythingIsNotSupported()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        var provider = new WindowsAffinityProvider();
        Assert.Equal(NumaFailure.NotSupported, provider.GetThreadCpus(out var cpus).Failure);
        Assert.True(cpus.IsEmpty);
        Assert.Equal("this system is not Windows", provider.SetThreadCpus(CpuSet.FromIds(0)).ErrorName);
        Assert.Equal(NumaFailure.NotSupported, provider.GetCurrent(out _, out _).Failure);
    }
}
