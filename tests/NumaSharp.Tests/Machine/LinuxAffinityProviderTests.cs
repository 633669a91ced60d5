using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Interop;

namespace NumaSharp.Tests.Core.Affinity;

public sealed class LinuxAffinityProviderTests
{
    private readonly LinuxAffinityProvider _provider = new();

    // A thread of its own, so that a mask that were not restored could not reach other tests.
    private static T OnThread<T>(Func<T> body)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        return TestThreads.Run(body);
    }

    private CpuSet ReadMask()
    {
        _provider.GetThreadCpus(out var cpus).ThrowIfFailed("sched_getaffinity");
        return cpus;
    }

    [Fact]
    public void GetThreadCpus_ThisThread_AgreesWithTheKernelsList()
    {
        var (mask, status) = OnThread(() => (ReadMask(), File.ReadAllLines("/proc/thread-self/status")));
        var list = status.Single(static line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)).Split('\t')[1];

        // The list may name CPUs that are not online; the call never does.
        Assert.True(mask.IsSubsetOf(CpuSet.ParseList(list)));
        Assert.NotEmpty(mask);
    }

    [Fact]
    public void SetThreadCpus_OneCpu_ThreadRunsThere()
    {
        var (cpu, result, current, nodeId) = OnThread(() =>
        {
            var wanted = ReadMask().Last;
            var set = _provider.SetThreadCpus(CpuSet.FromIds(wanted));
            _provider.GetCurrent(out var cpu, out var nodeId).ThrowIfFailed("getcpu");
            return (wanted, set, cpu, nodeId);
        });

        Assert.True(result.Succeeded);
        Assert.Equal(cpu, current);
        Assert.NotNull(NumaTopology.Instance.FindNode(new(nodeId.Value)));
    }

    [Fact]
    public void GetCurrent_WithOrWithoutTheLibrarysFunction_IsTheSame()
    {
        var (viaLibrary, viaKernel) = OnThread(() =>
        {
            _provider.SetThreadCpus(CpuSet.FromIds(ReadMask().Last)).ThrowIfFailed("sched_setaffinity");
            Assert.True(Native.GetCpu(out var cpu, out var node).Succeeded);
            Assert.True(Native.GetCpuBySyscall(out var sameCpu, out var sameNode).Succeeded);
            return ((cpu, node), (sameCpu, sameNode));
        });

        Assert.Equal(viaLibrary, viaKernel);
    }

    [Theory]
    [InlineData("")]
    [InlineData("65535")]
    public void SetThreadCpus_NoCpuThatExists_IsAnInvalidArgument(string cpus)
    {
        var result = OnThread(() => _provider.SetThreadCpus(CpuSet.ParseList(cpus)));

        Assert.Equal(NumaFailure.InvalidArgument, result.Failure);
        Assert.Equal("EINVAL", result.ErrorName);
    }

    [Fact]
    public void SetThreadCpus_CpusBeyondTheMachine_AreIgnored()
    {
        var (before, after) = OnThread(() =>
        {
            var mask = ReadMask();
            _provider.SetThreadCpus(mask.Union(CpuSet.FromIds(CpuSet.MaxId))).ThrowIfFailed("sched_setaffinity");
            return (mask, ReadMask());
        });

        Assert.Equal(before, after);
    }

    [Fact]
    public void SetThreadCpus_Null_Throws() => Assert.Throws<ArgumentNullException>(() => _provider.SetThreadCpus(null!));
}
