using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Support;

internal sealed unsafe class AllocatorUser(SimulatedMachine machine, NumaPlan plan, NumaFallbacks fallbacks) : MemoryUser
{
    private readonly NumaAllocator _allocator = new(plan, new NumaAllocatorOptions
    {
        Memory = machine.Platform.Memory,
        Affinity = machine.Platform.Affinity,
        Fallbacks = fallbacks,
        AddressSpacePerNode = 64L << 20,
    });

    public override long CommittedBytes => _allocator.CommittedBytes;

    public override long BytesInUse => _allocator.AllocatedBytes;

    public override nint Allocate(int size, int nodeId) => (nint)_allocator.Allocate((nuint)size, new(nodeId));

    public override void Free(nint address) => _allocator.Free((void*)address);

    public override void Trim() => _allocator.Trim();

    public override void Dispose() => _allocator.Dispose();
}
