using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.TestKit;

/// <summary>
/// A scheduler with one worker per node, each of which is held until the test releases it: which worker runs what does not depend
/// on timing then.
/// </summary>
public sealed class OccupiedScheduler : IDisposable
{
    private readonly INumaAffinityProvider _affinity;
    private readonly NumaTaskScheduler _scheduler;
    private readonly ManualResetEvent[] _gates;
    private readonly List<(int From, int On)> _ran = [];
    private readonly long[] _stolenBefore;
    private readonly long[] _executedBefore;

    /// <param name="mayBecomeOverdue">
    /// Whether work that has waited for a while may go to any node. Which idle worker is woken then depends on timing: if one
    /// gets its CPU late, another one is woken, too.
    /// </param>
    public OccupiedScheduler(
        NumaPlan plan, INumaAffinityProvider affinity, NumaSchedulingPolicy policy, bool mayBecomeOverdue = false)
    {
        _affinity = affinity;
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = plan,
            Affinity = affinity,
            Policy = policy,
            CompensateBlocking = false,
            MonitorPauseMilliseconds = mayBecomeOverdue ? BlockingMonitor.CheckMilliseconds : Timeout.Infinite,
        });
        _gates = [.. Plan.Nodes.Select(static _ => new ManualResetEvent(false))];
        Hold(Workers);

        // A worker on its way to sleep may have taken what is to hold another one, and given it back.
        _stolenBefore = [.. Plan.Nodes.Select(node => _scheduler.GetStolen(node.NodeIndex))];
        _executedBefore = [.. Plan.Nodes.Select(node => _scheduler.GetExecuted(node.NodeIndex))];
    }

    public NumaPlan Plan => _scheduler.Plan;

    public NumaTaskScheduler Scheduler => _scheduler;

    /// <summary>The positions of the nodes that have workers.</summary>
    public int[] Workers => [.. Plan.Nodes.Where(static node => node.Threads != 0).Select(static node => node.NodeIndex)];

    /// <summary>How many items a node's workers have taken from other nodes since all were held.</summary>
    public long GetStolen(int node) => _scheduler.GetStolen(node) - _stolenBefore[node];

    /// <summary>How many items a node's workers have run since all were held.</summary>
    public long GetExecuted(int node) => _scheduler.GetExecuted(node) - _executedBefore[node];

    /// <summary>Keeps the workers of nodes from running anything until they are released.</summary>
    public void Hold(params int[] nodes)
    {
        using var held = new CountdownEvent(nodes.Length);
        foreach (var node in nodes)
        {
            _gates[node].Reset();
            _scheduler.QueueOnNode(node, Hold, (node, held));
        }

        Wait.For(held);
    }

    /// <summary>Queues an item on each of the nodes.</summary>
    /// <returns>Counts those that have run.</returns>
    public CountdownEvent Queue(IReadOnlyCollection<int> nodes)
    {
        var done = new CountdownEvent(nodes.Count);
        foreach (var node in nodes)
        {
            _scheduler.QueueOnNode(node, _ => Note(node, done), state: null);
        }

        return done;
    }

    public void Release(int node) => _gates[node].Set();

    /// <summary>What has run, in order: the position of the node that it was queued on, and of the one that it ran on.</summary>
    public (int From, int On)[] WaitFor(CountdownEvent done)
    {
        Wait.For(done);
        lock (_ran)
        {
            (int, int)[] ran = [.. _ran];
            _ran.Clear();
            return ran;
        }
    }

    public void Dispose()
    {
        Array.ForEach(_gates, static gate => gate.Set());
        _scheduler.Dispose();
        Array.ForEach(_gates, static gate => gate.Dispose());
    }

    private void Hold(object? state)
    {
        var (node, held) = ((int, CountdownEvent))state!;
        if (NumaTaskScheduler.CurrentNodeIndex != node)
        {
            // A worker on its way to sleep took it from another node.
            _scheduler.QueueOnNode(node, Hold, state);
            return;
        }

        // For as long as the test takes: its end opens the gate, too, and an assertion that failed here would end the process.
        held.Signal();
        _gates[node].WaitOne();
    }

    private void Note(int node, CountdownEvent done)
    {
        _affinity.GetCurrent(out var cpu, out _).ThrowIfFailed("getcpu");
        lock (_ran)
        {
            _ran.Add((node, Plan.IndexOfCpu(cpu)));
        }

        done.Signal();
    }
}
