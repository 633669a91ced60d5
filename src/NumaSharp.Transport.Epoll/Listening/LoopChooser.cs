using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>Chooses the loop of a newly accepted connection, before its first byte is read. Thread-safe.</summary>
internal sealed class LoopChooser(LoopLoad load, EpollSteering steering)
{
    // How many more connections than the least loaded loop of its cache, or of a node of one cache, a loop may have: a few, plus
    // an eighth.
    private const int SlackInCache = 4;
    private const int ShareInCache = 8;

    // Between caches of a node, where only the lines that the softirq has just written are far.
    private const int SlackOnNode = 6;
    private const int ShareOnNode = 4;

    // Between nodes, where every packet of a displaced connection pays for the distance: twice as many, plus a few.
    private const int SlackBetweenNodes = 64;
    private const int ShareBetweenNodes = 1;

    private volatile SteeringTable? _table;

    /// <summary>
    /// Whether the CPU that received the connection is needed: the kernel did not choose by it, or may have met one without a
    /// loop.
    /// </summary>
    public bool NeedsCpu => _table is not null;

    /// <summary>Follows a table where the kernel does not.</summary>
    /// <param name="table">The table, or <see langword="null"/> if the kernel follows it.</param>
    public void Follow(SteeringTable? table) => _table = table;

    /// <summary>Returns the number of the loop for a connection.</summary>
    /// <param name="accepted">The loop with the listening socket at which it arrived.</param>
    /// <param name="cpu">The CPU that received it, if needed.</param>
    public int Choose(int accepted, int cpu)
    {
        switch (steering)
        {
            case EpollSteering.Kernel:
                return accepted;
            case EpollSteering.LeastLoaded:
                return load.Least(accepted);
            default:
                if (_table is not { } table)
                {
                    return Balance(accepted);
                }

                return table.LoopOf(cpu) is >= 0 and var home ? Balance(home) : load.Least(accepted);
        }
    }

    private int Balance(int home)
    {
        var chosen = load.CacheOf(home) >= 0
            ? BalanceByCache(home)
            : Lighter(home, load.LeastNear(home), ShareInCache, SlackInCache);
        var far = load.Least(chosen);
        return Lighter(chosen, far, ShareBetweenNodes, SlackBetweenNodes);
    }

    private int BalanceByCache(int home)
    {
        var chosen = Lighter(home, load.LeastInCache(home), ShareInCache, SlackInCache);
        return Lighter(chosen, load.LeastNear(chosen), ShareOnNode, SlackOnNode);
    }

    private int Lighter(int loop, int least, int share, int slack) => IsLopsided(loop, least, share, slack) ? least : loop;

    private bool IsLopsided(int loop, int least, int share, int slack)
    {
        var fewest = load.ActiveOn(least);
        return load.ActiveOn(loop) > fewest + (fewest / share) + slack;
    }
}
