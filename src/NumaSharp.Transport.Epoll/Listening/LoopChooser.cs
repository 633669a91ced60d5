namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Chooses the loop of a connection that was just accepted, before its first byte is read. Called on all loops at the same
/// time: what it compares may be old by a few connections.
/// </summary>
internal sealed class LoopChooser(IReadOnlyList<LoopCounters> loops, EpollSteering steering)
{
    // How many connections more than the least loaded loop of the node a loop may have: a few, and an eighth.
    private const int SlackOnNode = 4;
    private const int ShareOnNode = 8;

    // Between nodes, where a connection pays for every packet that it is away from home: twice as many, and a few.
    private const int SlackBetweenNodes = 64;
    private const int ShareBetweenNodes = 1;

    private volatile SteeringTable? _table;

    /// <summary>
    /// Whether the CPU that received the connection has to be known: the kernel has not chosen by it, or may have met one that
    /// nobody is for.
    /// </summary>
    public bool NeedsCpu => _table is not null;

    /// <summary>Follows a table, because the kernel does not.</summary>
    /// <param name="table">The table, or <see langword="null"/> when the kernel does.</param>
    public void Follow(SteeringTable? table) => _table = table;

    /// <summary>Gives the number of the loop for a connection.</summary>
    /// <param name="accepted">The loop whose socket it came to.</param>
    /// <param name="cpu">The CPU that has received it, when that is needed.</param>
    public int Choose(int accepted, int cpu)
    {
        switch (steering)
        {
            case EpollSteering.Kernel:
                return accepted;
            case EpollSteering.LeastLoaded:
                return LeastLoaded(accepted, nodeId: null);
            default:
                if (_table is not { } table)
                {
                    return Balance(accepted);
                }

                return table.LoopOf(cpu) is >= 0 and var home ? Balance(home) : LeastLoaded(accepted, nodeId: null);
        }
    }

    private int Balance(int home)
    {
        var near = LeastLoaded(home, loops[home].NodeId);
        var chosen = IsLopsided(home, near, ShareOnNode, SlackOnNode) ? near : home;
        var far = LeastLoaded(chosen, nodeId: null);
        return IsLopsided(chosen, far, ShareBetweenNodes, SlackBetweenNodes) ? far : chosen;
    }

    private bool IsLopsided(int loop, int least, int share, int slack)
    {
        var fewest = loops[least].Active;
        return loops[loop].Active > fewest + (fewest / share) + slack;
    }

    // The preferred one among equals: a connection that need not move does not.
    private int LeastLoaded(int preferred, int? nodeId)
    {
        var (least, fewest) = (preferred, loops[preferred].Active);
        for (var i = 0; i < loops.Count && fewest > 0; i++)
        {
            if ((nodeId is null || loops[i].NodeId == nodeId) && loops[i].Active < fewest)
            {
                (least, fewest) = (i, loops[i].Active);
            }
        }

        return least;
    }
}
