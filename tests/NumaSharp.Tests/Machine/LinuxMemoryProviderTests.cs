using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Interop;
using NumaSharp.Tests.Core.Topology;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class LinuxMemoryProviderTests
{
    private readonly LinuxMemoryProvider _provider = new();

    public LinuxMemoryProviderTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "These are the system calls of Linux.");

    [Theory]
    [InlineData(4096)]
    [InlineData(2 * 1024 * 1024)]
    [InlineData(1024 * 1024 * 1024)]
    public void Reserve_Alignment_IsKept(int alignment)
    {
        var size = 16 * _provider.PageSize;
        Assert.True(_provider.Reserve(size, (nuint)alignment, out var address).Succeeded);

        Assert.Equal(0, address % alignment);
        Assert.True(_provider.Commit(address, size).Succeeded);
        new Span<byte>((void*)address, (int)size).Fill(1);
        Assert.True(_provider.Release(address, size).Succeeded);
    }

    [Fact]
    public void Reserve_FarMoreThanTheMachineHas_CostsNothing()
    {
        Assert.SkipUnless(
            File.ReadLines("/proc/self/limits").Any(static line =>
                line.StartsWith("Max address space         unlimited", StringComparison.Ordinal)),
            "The address space is limited (ulimit -v).");
        var size = (nuint)1 << 44;
        Assert.True(_provider.Reserve(size, _provider.PageSize, out var address).Succeeded);
        Assert.True(_provider.Commit(address, _provider.PageSize).Succeeded);
        *(byte*)address = 1;
        Assert.True(_provider.Release(address, size).Succeeded);
    }

    [Fact]
    public void Reserve_MoreThanTheAddressSpace_FailsAsOutOfMemory()
    {
        var result = _provider.Reserve(nuint.MaxValue & ~(_provider.PageSize - 1), _provider.PageSize, out var address);

        Assert.Equal((NumaFailure.OutOfMemory, "ENOMEM"), (result.Failure, result.ErrorName));
        Assert.Equal(0, address);
    }

    [Fact]
    public void QueryNode_UntouchedThenTouched_TellsMinusOneThenTheNode()
    {
        Assert.SkipWhen(KernelMemory.QueryRefusal is not null, $"move_pages(2) is refused here: {KernelMemory.QueryRefusal}.");
        Reserve(out var address);
        _provider.QueryNode(address, out var before).ThrowIfFailed("move_pages");
        *(byte*)address = 1;
        _provider.QueryNode(address + 100, out var after).ThrowIfFailed("move_pages");

        Assert.Null(before);
        Assert.Contains(NumaTopology.Instance.Nodes, node => node.Id == after);
        Release(address);
    }

    [Fact]
    public void QueryNode_NotMapped_Fails()
    {
        var result = _provider.QueryNode(0, out var nodeId);

        Assert.False(result.Succeeded);
        Assert.Null(nodeId);
    }

    [Theory]
    [InlineData(NumaPlacementKind.Preferred)]
    [InlineData(NumaPlacementKind.Bound)]
    [InlineData(NumaPlacementKind.Interleaved)]
    public void Bind_NodeOfThisMachine_PagesComeFromIt(NumaPlacementKind kind)
    {
        SkipWhenRefused();
        Assert.SkipWhen(KernelMemory.QueryRefusal is not null, $"move_pages(2) is refused here: {KernelMemory.QueryRefusal}.");
        var node = NumaTopology.Instance.Nodes.First(static candidate => candidate.IsMemoryAllowed).NodeId;
        Reserve(out var address);
        _provider.Bind(address, Size, new NumaPlacement(kind, CpuSet.FromIds(node))).ThrowIfFailed("mbind");
        *(byte*)address = 1;
        _provider.QueryNode(address, out var actual).ThrowIfFailed("move_pages");

        Assert.Equal(node, actual?.Value);
        Release(address);
    }

    [Fact]
    public void Bind_NodesThatAreNotThere_IsInvalidNotAcceptedSilently()
    {
        SkipWhenRefused();
        Reserve(out var address);

        // Bit 63 is the one that a maxnode of 64 would lose.
        Assert.Equal("EINVAL", _provider.Bind(address, Size, NumaPlacement.Bind(new(63))).ErrorName);
        Assert.Equal("EINVAL", _provider.Bind(address, Size, new(NumaPlacementKind.Bound, CpuSet.Empty)).ErrorName);
        Release(address);
    }

    [Fact]
    public void Bind_SeveralPreferredNodes_IsAcceptedByAnyKernel()
    {
        SkipWhenRefused();
        Assert.SkipUnless(File.Exists("/proc/self/numa_maps"), "This kernel has no /proc/self/numa_maps.");
        var memoryNodes = NumaTopology.Instance.MemoryNodes;
        Reserve(out var address);
        _provider.Bind(address, Size, new(NumaPlacementKind.Preferred, CpuSet.FromIds(memoryNodes.Append(1000))))
            .ThrowIfFailed("mbind");

        // Before Linux 5.15, and where node 1000 is beyond what the kernel was built for, it is the first of them.
        var shown = PolicyOf(address);
        string[] allowed = [$"prefer (many)=static:{memoryNodes}", $"prefer=static:{memoryNodes.First}"];
        Assert.Contains(allowed, policy => shown.StartsWith(policy, StringComparison.Ordinal));
        Release(address);
    }

    [Theory]
    [InlineData(NumaPlacementKind.Preferred, false, "prefer=static:{0}")]
    [InlineData(NumaPlacementKind.Preferred, true, "prefer (many)=static:{0}")]
    [InlineData(NumaPlacementKind.Bound, false, "bind=static:{0}")]
    [InlineData(NumaPlacementKind.Bound, true, "bind=static:{0}")]
    [InlineData(NumaPlacementKind.Interleaved, true, "interleave=static:{0}")]
    [InlineData(NumaPlacementKind.WeightedInterleaved, false, "weighted interleave=static:{0}")]
    public void Bind_Kind_IsThePolicyThatTheKernelShows(NumaPlacementKind kind, bool several, string expected)
    {
        SkipWhenRefused();
        SkipWhenUnknown(kind, several);
        Assert.SkipUnless(File.Exists("/proc/self/numa_maps"), "This kernel has no /proc/self/numa_maps.");
        using var sysfs = new TemporaryFolder();
        var node = NumaTopology.Instance.MemoryNodes.First;

        // One that this machine does not have, or this process may not use, is not shown.
        var other = Enumerable.Range(0, int.MaxValue).First(static id => !NumaTopology.Instance.MemoryNodes.Contains(id));
        var files = Directory.CreateDirectory(Path.Join(sysfs.Path, InterleaveWeights.Folder));
        File.WriteAllText(Path.Join(files.FullName, $"node{node}"), "1\n");
        var provider = new LinuxMemoryProvider(sysfs.Path);
        Reserve(out var address);
        var nodes = several ? CpuSet.FromIds(node, other) : CpuSet.FromIds(node);
        provider.Bind(address, Size, new NumaPlacement(kind, nodes)
        {
            HomeNodeId = several && kind <= NumaPlacementKind.Bound ? new NumaNodeId(node) : null,
            Weights = kind == NumaPlacementKind.WeightedInterleaved ? [1] : [],
        }).ThrowIfFailed("mbind");

        Assert.StartsWith(
            string.Format(CultureInfo.InvariantCulture, expected, node), PolicyOf(address), StringComparison.Ordinal);
        Release(address);
    }

    [Fact]
    public void Bind_HomeNodeThatIsNotThere_IsInvalidWhenPreferredAndIgnoredWhenBound()
    {
        SkipWhenRefused();
        var node = NumaTopology.Instance.MemoryNodes.First;
        Reserve(out var address);
        var nodes = CpuSet.FromIds(node, 63);
        var result = _provider.Bind(
            address, Size, new NumaPlacement(NumaPlacementKind.Preferred, nodes) { HomeNodeId = new(63) });

        Assert.Equal("EINVAL", result.ErrorName);
        Assert.True(_provider.Bind(address, Size, new(NumaPlacementKind.Bound, nodes) { HomeNodeId = new(63) }).Succeeded);
        Release(address);
    }

    [Fact]
    public void Bind_WeightsThatAreNotTheSystems_IsNotSupported()
    {
        var provider = new LinuxMemoryProvider("/nowhere");
        Reserve(out var address);
        var placement = new NumaPlacement(NumaPlacementKind.WeightedInterleaved, CpuSet.FromIds(0)) { Weights = [1] };

        Assert.Equal(NumaFailure.NotSupported, provider.Bind(address, Size, placement).Failure);
        Release(address);
    }

    [Fact]
    public void Advise_Discard_PagesReadAsZero()
    {
        Reserve(out var address);
        *(byte*)address = 1;
        Assert.True(_provider.Advise(address, Size, NumaMemoryAdvice.Discard).Succeeded);

        Assert.Equal(0, *(byte*)address);
        Release(address);
    }

    [Theory]
    [InlineData(Errno.EPERM, NumaFailure.NotPermitted)]
    [InlineData(Errno.EACCES, NumaFailure.NotPermitted)]
    [InlineData(Errno.ENOSYS, NumaFailure.NotSupported)]
    [InlineData(Errno.EOPNOTSUPP, NumaFailure.NotSupported)]
    [InlineData(Errno.EINVAL, NumaFailure.InvalidArgument)]
    [InlineData(Errno.ENOMEM, NumaFailure.OutOfMemory)]
    [InlineData(Errno.EAGAIN, NumaFailure.OutOfMemory)]
    [InlineData(Errno.EFAULT, NumaFailure.Other)]
    public void Failures_ByErrno_AreTheSameOnEveryPlatform(int errno, NumaFailure expected) =>
        Assert.Equal(expected, NumaResults.From(SysResult.FromErrno(errno)).Failure);

    [Fact]
    public void SyscallNumbers_OfThisArchitecture_AreTheKernels()
    {
        var expected = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? (235, 239) : (237, 279);

        Assert.Equal(expected, ((int)SyscallNumbers.MBind, (int)SyscallNumbers.MovePages));
    }

    // "7f0000000000 prefer=static:0 anon=1 ...", of which this is what follows the address.
    private static string PolicyOf(nint address)
    {
        var start = $"{address:x} ";
        return File.ReadLines("/proc/self/numa_maps")
            .Single(line => line.StartsWith(start, StringComparison.Ordinal))[start.Length..];
    }

    private static void SkipWhenRefused() =>
        Assert.SkipWhen(KernelMemory.BindRefusal is not null, $"mbind(2) is refused here: {KernelMemory.BindRefusal}.");

    private static void SkipWhenUnknown(NumaPlacementKind kind, bool several)
    {
        var refusal = (kind, several) switch
        {
            (NumaPlacementKind.WeightedInterleaved, _) => KernelMemory.RefusalOf(KernelMemory.WeightedInterleave),
            (NumaPlacementKind.Preferred, true) =>
                KernelMemory.RefusalOf(KernelMemory.PreferredMany) ?? KernelMemory.HomeNodeRefusal,
            _ => null,
        };
        Assert.SkipWhen(
            refusal is not null,
            $"This kernel has no {kind} policy of this kind (weighted: Linux 6.9; of several nodes: 5.15, with a home node 5.17),"
            + $" or refuses it: {refusal}.");
    }

    private nuint Size => 4 * _provider.PageSize;

    private void Reserve(out nint address)
    {
        _provider.Reserve(Size, _provider.PageSize, out address).ThrowIfFailed("mmap");
        _provider.Commit(address, Size).ThrowIfFailed("mprotect");
    }

    private void Release(nint address) => Assert.True(_provider.Release(address, Size).Succeeded);
}
