namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>Counts items without a shared counter: each thread has its own.</summary>
internal sealed class TallyBoard
{
    [ThreadStatic]
    private static Tally? t_own;

    private readonly Lock _joining = new();
    private Tally[] _tallies = [];

    public long Total
    {
        get
        {
            long total = 0;
            foreach (var tally in Volatile.Read(ref _tallies))
            {
                total += tally.Count;
            }

            return total;
        }
    }

    public void Add()
    {
        var own = t_own;
        if (own is null || own.Board != this)
        {
            own = Join();
        }

        own.Add();
    }

    /// <summary>Waits without sleeping; a thread that has work gets the CPU.</summary>
    public void WaitFor(long total)
    {
        var wait = default(SpinWait);
        while (Total < total)
        {
            wait.SpinOnce(sleep1Threshold: -1);
        }
    }

    private Tally Join()
    {
        lock (_joining)
        {
            var thread = Environment.CurrentManagedThreadId;
            var own = Array.Find(_tallies, tally => tally.ThreadId == thread);
            if (own is null)
            {
                own = new Tally(this, thread);
                Volatile.Write(ref _tallies, [.. _tallies, own]);
            }

            return t_own = own;
        }
    }
}
