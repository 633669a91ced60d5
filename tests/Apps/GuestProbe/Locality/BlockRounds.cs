namespace NumaSharp.GuestProbe.Locality;

/// <summary>
/// A thread on each CPU takes blocks, writes to them and looks where their pages are; the right node is its own. One thread after
/// the other, so that it does not depend on timing which gets what.
/// </summary>
internal sealed class BlockRounds
{
    // Longer than our allocator takes to notice that a thread has moved.
    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(2);

    private readonly int[] _sizes;
    private readonly Func<int, Block> _take;
    private readonly PinnedThread[] _threads;
    private readonly Block[][] _held;
    private readonly int _cpusPerNode;

    private BlockRounds(int[] cpus, int[] sizes, Func<int, Block> take)
    {
        (_sizes, _take) = (sizes, take);
        _threads = Array.ConvertAll(cpus, static cpu => new PinnedThread(cpu));
        _held = new Block[cpus.Length][];
        _cpusPerNode = cpus.Length / _threads.DistinctBy(static thread => thread.Node).Count();
    }

    /// <summary>
    /// The shares of new blocks; of blocks after threads of another node have returned the first; and after the threads have
    /// returned their own and moved to another node.
    /// </summary>
    public static LocalityShare[] Measure(int[] cpus, int[] sizes, Func<int, Block> take)
    {
        var rounds = new BlockRounds(cpus, sizes, take);
        var first = rounds.TakeAll();
        rounds.OnEach(thread => rounds.Return(rounds.FarFrom(thread)));
        var recycled = rounds.TakeAll();
        rounds.OnEach(rounds.Return);
        for (var thread = 0; thread < cpus.Length; thread++)
        {
            rounds._threads[thread].MoveTo(cpus[rounds.FarFrom(thread)]);
        }

        Thread.Sleep(s_settling);
        var moved = rounds.TakeAll();
        rounds.OnEach(rounds.Return);
        Array.ForEach(rounds._threads, static thread => thread.Dispose());
        return [first, recycled, moved];
    }

    // The guests' nodes have equally many CPUs, in a row: so far ahead is another node's.
    private int FarFrom(int thread) => (thread + _cpusPerNode) % _threads.Length;

    private void OnEach(Action<int> work)
    {
        for (var i = 0; i < _threads.Length; i++)
        {
            var thread = i;
            _threads[thread].Run(() => work(thread));
        }
    }

    private LocalityShare TakeAll()
    {
        var tally = new PageTally();
        OnEach(thread =>
        {
            var blocks = _held[thread] = Array.ConvertAll(_sizes, size => _take(size));
            Array.ForEach(blocks, static block => block.Touch());

            // Small blocks share pages.
            foreach (var page in blocks.SelectMany(static block => Place.PagesOf(block.Address, block.Length)).Distinct())
            {
                tally.Count(Place.OfPage(page) == _threads[thread].Node);
            }
        });
        return tally.Share;
    }

    private void Return(int owner) => Array.ForEach(_held[owner], static block => block.Return());
}
