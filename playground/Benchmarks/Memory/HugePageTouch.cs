using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// What transparent huge pages are worth: one line of each 4 KB block of 64 MiB, in shuffled order, with and without them.
/// </summary>
internal sealed unsafe class HugePageTouch
{
    private const int Blocks = 16384;
    private const int BlockBytes = 4096;
    private const int LineBytes = 64;
    private const int Seed = 1;

    private readonly nint[] _lines = new nint[Blocks];
    private readonly NumaAllocator _allocator;

    private HugePageTouch(NumaMemoryAdvice pages)
    {
        _allocator = new NumaAllocator(
            NumaPlan.Create(NumaTopology.Instance),
            new NumaAllocatorOptions { Memory = new AdvisedMemoryProvider(NumaPlatform.Default.Memory, pages) });
        for (var i = 0; i < Blocks; i++)
        {
            // Another line in each, or it would be the cache's sets that are measured.
            _lines[i] = (nint)_allocator.Allocate(BlockBytes) + (i * LineBytes % BlockBytes);
        }

        new Random(Seed).Shuffle(_lines);
    }

    public static Contest Create(WorkerTeams teams)
    {
        return new([
            new Duel(
                "touch 64M, THP on vs off",
                Side("huge pages", NumaMemoryAdvice.HugePages),
                Side("ordinary pages", NumaMemoryAdvice.NoHugePages)),
        ]);

        Contestant Side(string name, NumaMemoryAdvice pages)
        {
            var touch = new Lazy<HugePageTouch>(() => new HugePageTouch(pages));
            return teams.Contestant(1, (_, count) => touch.Value.Run(count), () => name, Blocks);
        }
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

        GC.KeepAlive(_allocator);
    }
}
