using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Pools;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The cost of the checks for wrong use: allocator and pool in each mode against no mode.</summary>
internal static unsafe class CheckedModes
{
    private static readonly Mode s_none = new("none", NumaMemoryCheckMode.None, TraceEvery: 1);

    private static readonly Mode[] s_modes =
    [
        new("hardened", NumaMemoryCheckMode.Hardened, TraceEvery: 1),
        new("checks", NumaMemoryCheckMode.Full, TraceEvery: 1),
        new("untraced checks", NumaMemoryCheckMode.Full, TraceEvery: 0),
    ];

    public static Contest OfAllocator(WorkerTeams teams, int size) => Create(
        mode => $"{mode} {BlockSize.Label(size)} vs none",
        mode =>
        {
            var allocator = new NumaAllocator(
                NumaPlan.Create(NumaTopology.Instance),
                new NumaAllocatorOptions { Checks = mode.Checks, TraceEvery = mode.TraceEvery });
            return teams.Load(1, (_, count) => Single(allocator, (nuint)size, count), allocator);
        });

    public static Contest OfPool(WorkerTeams teams) => Create(
        static mode => $"pool {mode} vs none",
        mode =>
        {
            var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
            {
                NodeId = NumaTopology.Instance.Nodes[0].Id,
                Checks = mode.Checks,
                TraceEvery = mode.TraceEvery,
            });
            return teams.Load(1, (_, count) => Single(pool, count), pool);
        });

    private static Contest Create(Func<string, string> rowName, Func<Mode, ILoad> open)
    {
        var none = Side(s_none);
        return new([.. s_modes.Select(mode => new PeerRow(rowName(mode.Name), Side(mode), none))]);

        Contestant Side(Mode mode) => new(() => mode.Name, () => open(mode));
    }

    private static void Single(NumaAllocator allocator, nuint size, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Free(allocator, Allocate(allocator, size));
        }
    }

    private static void Single(MemoryPool<byte> pool, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Return(Rent(pool));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void* Allocate(NumaAllocator allocator, nuint size) => allocator.Allocate(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Free(NumaAllocator allocator, void* block) => allocator.Free(block);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IMemoryOwner<byte> Rent(MemoryPool<byte> pool) => pool.Rent(IPoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Return(IMemoryOwner<byte> block) => block.Dispose();

    private sealed record Mode(string Name, NumaMemoryCheckMode Checks, int TraceEvery);
}
