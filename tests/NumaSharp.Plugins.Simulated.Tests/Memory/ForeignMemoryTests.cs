using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Memory;

/// <summary>Memory of the process that the machine has not reserved, such as pinned arrays.</summary>
public sealed class ForeignMemoryTests : IDisposable
{
    private readonly INumaMemoryProvider _system = NumaPlatform.Default.Memory;
    private readonly SimulatedMachine _machine = Machines.Create(8, 8);
    private readonly nint _address;

    public ForeignMemoryTests() =>
        _system.Reserve(_system.PageSize, _system.PageSize, out _address).ThrowIfFailed("reserve");

    public void Dispose()
    {
        _system.Release(_address, _system.PageSize);
        _machine.Dispose();
    }

    [Fact]
    public void Bind_MemoryOfOthers_IsDoneAndRecordedAndTakesNoneOfANode()
    {
        _machine.Platform.Memory.Bind(_address, _system.PageSize, NumaPlacement.Bind(new(1))).ThrowIfFailed("bind");
        Assert.Equal(
            (SimulatedOperation.Bind, 1, (long)_system.PageSize),
            (_machine.Calls[^1].Operation, _machine.Calls[^1].NodeId!.Value.Value, _machine.Calls[^1].SizeBytes));
        Assert.Equal(0, _machine.GetUsedBytes(new(1)));
        Assert.False(_machine.Platform.Memory.QueryNode(_address, out var node).Succeeded);
        Assert.Null(node);
    }

    [Fact]
    public void Bind_MemoryOfOthersWithAFault_IsRefused()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM) { NodeId = new(1) });
        var memory = _machine.Platform.Memory;
        Assert.Equal(
            NumaFailure.NotPermitted, memory.Bind(_address, _system.PageSize, NumaPlacement.Bind(new(1))).Failure);
        Assert.True(memory.Bind(_address, _system.PageSize, NumaPlacement.Bind(new(0))).Succeeded);
        Assert.Equal(
            NumaFailure.InvalidArgument, memory.Bind(_address + 1, _system.PageSize, NumaPlacement.Bind(new(0))).Failure);
    }

    [Fact]
    public unsafe void Discard_MemoryOfOthers_IsWhatTheSystemMakesOfIt()
    {
        _system.Commit(_address, _system.PageSize).ThrowIfFailed("commit");
        *(byte*)_address = 1;
        var result = _machine.Platform.Memory.Advise(_address, _system.PageSize, NumaMemoryAdvice.Discard);
        Assert.Equal(result.Succeeded ? 0 : 1, *(byte*)_address);
    }
}
