using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// A server in the manner of Larson and Krishnan (ISMM 1998): each thread replaces blocks of mixed sizes at random, and from
/// run to run the threads take over each other's blocks.
/// </summary>
internal sealed class Larson
{
    private const int Threads = 2;
    private const int Slots = 1024;

    private readonly IAllocatorSide _side;
    private readonly int[] _sizes = MixedSizes.Table();
    private readonly nint[][] _slots = [.. Enumerable.Range(0, Threads).Select(static _ => new nint[Slots])];
    private readonly uint[] _random = [Xorshift.Seed, Xorshift.Next(Xorshift.Seed)];
    private int _turn;

    private Larson(IAllocatorSide side) => _side = side;

    public static Contest Create(WorkerTeams teams)
    {
        return new([new Duel("larson 2 threads vs mimalloc", Side(AllocatorSides.Ours), Side(AllocatorSides.Mimalloc))]);

        Contestant Side(IAllocatorSide side) => teams.Contestant(side, new Larson(side).Run, Threads);
    }

    private void Run(int thread, int operations)
    {
        var slots = _slots[(thread + (Volatile.Read(ref _turn) / Threads)) % Threads];
        _side.Replace(slots, _sizes, ref _random[thread], operations);
        Interlocked.Increment(ref _turn);
    }
}
