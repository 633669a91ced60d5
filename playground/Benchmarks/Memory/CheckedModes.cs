using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>What looking for wrong use costs: the allocator in each of its modes against itself in none.</summary>
internal static unsafe class CheckedModes
{
    private static readonly Side s_none = new("none", NumaMemoryChecks.None, TraceEvery: 1);

    private static readonly Side[] s_modes =
    [
        new("hardened", NumaMemoryChecks.Hardened, TraceEvery: 1),
        new("checks", NumaMemoryChecks.Checks, TraceEvery: 1),
        new("untraced checks", NumaMemoryChecks.Checks, TraceEvery: 0),
    ];

    public static Contest Create(WorkerTeams teams, int size) => new([
        .. s_modes.Select(mode => new Duel(
            $"{mode.Name} {BlockSize.Label(size)} vs none", Of(teams, mode, size), Of(teams, s_none, size))),
    ]);

    private static Contestant Of(WorkerTeams teams, Side side, int size) =>
        teams.Contestant(1, (_, count) => Single(side.Allocator, (nuint)size, count), () => side.Name);

    private static void Single(NumaAllocator allocator, nuint size, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Free(allocator, Allocate(allocator, size));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void* Allocate(NumaAllocator allocator, nuint size) => allocator.Allocate(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Free(NumaAllocator allocator, void* block) => allocator.Free(block);

    private sealed record Side(string Name, NumaMemoryChecks Checks, int TraceEvery)
    {
        private readonly Lazy<NumaAllocator> _allocator = new(() => new NumaAllocator(
            NumaPlan.Create(NumaTopology.Instance),
            new NumaAllocatorOptions { Checks = Checks, TraceEvery = TraceEvery }));

        public NumaAllocator Allocator => _allocator.Value;
    }
}
