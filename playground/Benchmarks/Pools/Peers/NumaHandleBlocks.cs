using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Pools.Peers;

/// <summary>Ours, as an event loop has it: the thread's cache is found once.</summary>
internal readonly ref struct NumaHandleBlocks : IPooledBlocks<NumaHandleBlocks>
{
    private static readonly NumaMemoryPool s_pool = new(NumaTopology.Instance.Nodes[0].NodeId);

    private readonly NumaPoolHandle _handle;

    private NumaHandleBlocks(NumaPoolHandle handle) => _handle = handle;

    public static string Name => nameof(NumaPoolHandle);

    public static NumaHandleBlocks Open() => new(s_pool.OpenHandle());

    [MethodImpl(MethodImplOptions.NoInlining)]
    public IMemoryOwner<byte> Rent() => _handle.Rent();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Return(IMemoryOwner<byte> block) => _handle.Return((NumaMemoryBlock)block);
}
