using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Support;

internal sealed unsafe class PoolsUser(SimulatedMachine machine, NumaPlan plan, NumaFallbacks fallbacks) : MemoryUser
{
    private readonly Dictionary<nint, NumaMemoryBlock> _blocks = [];
    private readonly NumaMemoryPools _pools = new(plan, new NumaMemoryPoolsOptions
    {
        Memory = machine.Platform.Memory,
        Affinity = machine.Platform.Affinity,
        Fallbacks = fallbacks,
    });

    public override long CommittedBytes => Pools.Sum(static pool => pool.CommittedBytes);

    public override long BytesInUse => Pools.Sum(static pool => pool.RentedBytes);

    private IEnumerable<NumaMemoryPool> Pools => Enumerable.Range(0, _pools.Count).Select(index => _pools[index]);

    public override nint Allocate(int size, int nodeId)
    {
        var block = _pools.ForNode(new(nodeId)).RentBlock(size);
        _blocks.Add((nint)block.Pointer, block);
        return (nint)block.Pointer;
    }

    public override void Free(nint address)
    {
        _blocks.Remove(address, out var block);
        block!.Dispose();
    }

    public override void Trim() => _pools.Trim();

    public override void Dispose() => _pools.Dispose();
}
