using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// What transparent huge pages are worth: one line of each 4 KB block of 64 MiB, in shuffled order, with and without them. The
/// allocator and the pool ask for them as an application's do; whether there are any is the system's decision.
/// </summary>
internal sealed unsafe class HugePageTouch
{
    private const int Blocks = 16384;
    private const int BlockBytes = 4096;
    private const int LineBytes = 64;
    private const int Seed = 1;

    private readonly nint[] _lines;
    private readonly object _owner;

    private HugePageTouch(object owner, IEnumerable<nint> blocks)
    {
        _owner = owner;

        // Another line in each, or it would be the cache's sets that are measured.
        _lines = [.. blocks.Select(static (block, i) => block + (i * LineBytes % BlockBytes))];
        new Random(Seed).Shuffle(_lines);
    }

    public static IEnumerable<Contest> Create(WorkerTeams teams) =>
    [
        Create(teams, "touch 64M, THP on vs off", FromAllocator),
        Create(teams, "pool touch 64M, THP on vs off", FromPool),
    ];

    private static Contest Create(WorkerTeams teams, string name, Func<INumaMemoryProvider, HugePageTouch> create)
    {
        var system = NumaPlatform.Default.Memory;
        return new([
            new Duel(
                name,
                Side("huge pages", new TransparentHugePageMemory(system, NumaMemoryPool.DefaultFallbacks)),
                Side("ordinary pages", new AdvisedMemoryProvider(system, NumaMemoryAdvice.NoHugePages))),
        ]);

        Contestant Side(string pages, INumaMemoryProvider memory)
        {
            var touch = new Lazy<HugePageTouch>(() => create(memory));
            return teams.Contestant(1, (_, count) => touch.Value.Run(count), () => pages, Blocks);
        }
    }

    private static HugePageTouch FromAllocator(INumaMemoryProvider memory)
    {
        var allocator = new NumaAllocator(
            NumaPlan.Create(NumaTopology.Instance), new NumaAllocatorOptions { Memory = memory });
        return new HugePageTouch(
            allocator, Enumerable.Range(0, Blocks).Select(_ => (nint)allocator.Allocate(BlockBytes)));
    }

    private static HugePageTouch FromPool(INumaMemoryProvider memory)
    {
        var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            NodeId = NumaTopology.Instance.Nodes[0].Id,
            BlockSize = BlockBytes,
            Memory = memory,
        });

        // The array keeps the blocks alive: a pool reclaims a block without references, even if its address is in use.
        NumaMemoryBlock[] blocks = [.. Enumerable.Range(0, Blocks).Select(_ => pool.RentBlock())];
        return new HugePageTouch(blocks, blocks.Select(static block => (nint)block.Pointer));
    }

    private void Run(int count)
    {
        for (var done = 0; done < count; done += Blocks)
        {
            foreach (var line in _lines)
            {
                *(int*)line += 1;
            }
        }

        GC.KeepAlive(_owner);
    }
}
