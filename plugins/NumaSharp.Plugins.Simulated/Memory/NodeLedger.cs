using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Memory;

/// <summary>The pages taken from each node, and the kernel's counters of them. Thread-safe.</summary>
internal sealed class NodeLedger(long pageSize)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<NumaNodeId, NodeAccount> _accounts = [];

    /// <summary>Takes a page from a node, if it has one left.</summary>
    public bool TryTake(SimulatedNodeOptions from, NumaNodeId wanted, NumaNodeId local, bool isInterleaved)
    {
        lock (_lock)
        {
            var account = AccountOf(from.NodeId);
            if ((account.Used + 1) * pageSize > from.MemoryBytes)
            {
                return false;
            }

            account.Used++;
            if (from.NodeId == wanted)
            {
                account.Hit++;
                account.InterleaveHit += isInterleaved ? 1 : 0;
            }
            else
            {
                account.Miss++;
                AccountOf(wanted).Foreign++;
            }

            if (from.NodeId == local)
            {
                account.Local++;
            }
            else
            {
                account.Other++;
            }

            return true;
        }
    }

    public void GiveBack(NumaNodeId nodeId)
    {
        lock (_lock)
        {
            AccountOf(nodeId).Used--;
        }
    }

    public long UsedBytesOf(NumaNodeId nodeId)
    {
        lock (_lock)
        {
            return AccountOf(nodeId).Used * pageSize;
        }
    }

    public long FreeBytesOf(SimulatedNodeOptions node) => Math.Max(0, node.MemoryBytes - UsedBytesOf(node.NodeId));

    public NumaNodeStatistics StatisticsOf(SimulatedNodeOptions node)
    {
        lock (_lock)
        {
            var account = AccountOf(node.NodeId);
            return new NumaNodeStatistics
            {
                MemoryBytes = node.MemoryBytes,
                MemoryFreeBytes = FreeBytesOf(node),
                Hit = account.Hit,
                Miss = account.Miss,
                Foreign = account.Foreign,
                InterleaveHit = account.InterleaveHit,
                Local = account.Local,
                Other = account.Other,
            };
        }
    }

    private NodeAccount AccountOf(NumaNodeId nodeId)
    {
        if (!_accounts.TryGetValue(nodeId, out var account))
        {
            _accounts.Add(nodeId, account = new NodeAccount());
        }

        return account;
    }
}

/// <summary>A node's counters in pages, as in its numastat file.</summary>
internal sealed class NodeAccount
{
    public long Used { get; set; }

    public long Hit { get; set; }

    public long Miss { get; set; }

    public long Foreign { get; set; }

    public long InterleaveHit { get; set; }

    public long Local { get; set; }

    public long Other { get; set; }
}
