using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>Chooses the loop of a newly accepted connection, before its first byte is read. Thread-safe.</summary>
internal sealed class LoopChooser(LoopLoad load, EpollSteering steering)
{
    // How many more connections than the least loaded loop of its cache a loop may have: a few, plus an eighth.
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
        var close = load.LeastInCache(home);
        var chosen = IsLopsided(home, close, ShareInCache, SlackInCache) ? close : home;
        var near = load.LeastNear(chosen);
        chosen = IsLopsided(chosen, near, ShareOnNode, SlackOnNode) ? near : chosen;
        var far = load.Least(chosen);
        return IsLopsided(chosen, far, ShareBetweenNodes, SlackBetweenNodes) ? far : chosen;
    }

    private bool IsLopsided(int loop, int least, int share, int slack)
    {
        var fewest = load.ActiveOn(least);
        return load.ActiveOn(loop) > fewest + (fewest / share) + slack;
    }
}
