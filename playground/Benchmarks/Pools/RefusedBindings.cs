using System.Diagnostics;
using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>
/// The cost of new memory on one node where mbind(2) is refused, as containers do by default, against the same where it is
/// allowed: new pools of 64 MiB, each of whose blocks is rented and touched for the first time. In time, so that work of other
/// threads and waiting for them counts.
/// </summary>
internal static class RefusedBindings
{
    /// <summary>The blocks of 64 MiB.</summary>
    public const int Blocks = 16384;

    public static Contest Create()
    {
        var system = NumaPlatform.Default.Memory;
        return new([
            new PeerRow(
                "pool commit 64M, mbind refused vs allowed",
                Side("refused", new RefusingMemoryProvider(system)),
                Side("allowed", system),
                PoolTargets.RefusedBinding),
        ])
        {
            Unavailable = CanBind(system) ? null : "this system refuses mbind itself",

            // A call is 16,384 rents.
            WarmUpLimit = TimeSpan.FromMilliseconds(200),
        };
    }

    private static Contestant Side(string name, INumaMemoryProvider memory) =>
        new(() => name, () => new TimedLoad(count => Measure(memory, count))) { Step = Blocks };

    private static double Measure(INumaMemoryProvider memory, int count)
    {
        var taken = TimeSpan.Zero;
        for (var done = 0; done < count; done += Blocks)
        {
            // On one node there are no CPUs to touch memory on.
            using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
            {
                NodeId = NumaTopology.Instance.Nodes[0].Id,
                Memory = memory,
                Fallbacks = new NumaFallbacks(),
            });
            var blocks = new NumaMemoryBlock[Blocks];
            var start = Stopwatch.GetTimestamp();
            RentAndTouch(pool, blocks);
            taken += Stopwatch.GetElapsedTime(start);
            Array.ForEach(blocks, static block => block.Dispose());
        }

        return taken.TotalNanoseconds;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RentAndTouch(NumaMemoryPool pool, NumaMemoryBlock[] blocks)
    {
        foreach (ref var block in blocks.AsSpan())
        {
            block = pool.RentBlock(IPoolSide.BlockBytes);
            block.GetSpan()[0] = 1;
        }
    }

    private static bool CanBind(INumaMemoryProvider memory)
    {
        var node = NumaTopology.Instance.Nodes[0].Id;
        if (!memory.Reserve(memory.PageSize, memory.PageSize, out var page).Succeeded)
        {
            return false;
        }

        var bound = memory.Bind(page, memory.PageSize, NumaPlacement.Prefer(node));
        memory.Release(page, memory.PageSize);
        return bound.Succeeded;
    }
}
