using NumaSharp.Core;
using NumaSharp.Core.Affinity;

namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
    private readonly Lock _applyLock = new();
    private NumaPlan _plan;
    private int _placements;

    /// <summary>How often threads were asked to pin themselves; a thread that sees a new value pins itself again.</summary>
    internal int Placements => Volatile.Read(ref _placements);

    /// <summary>
    /// Applies a plan that follows the current one: every worker re-pins itself, sleeping ones now, the others before their next
    /// item. The current plan may be given, too, to re-pin all workers. Work is not touched. Threads of
    /// <see cref="TaskCreationOptions.LongRunning"/> tasks stay where the system has moved them.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on <see cref="Plan"/>.</param>
    /// <exception cref="ArgumentException">It was adapted from another plan: its positions or workers differ.</exception>
    public void Apply(NumaPlan plan)
    {
        lock (_applyLock)
        {
            _plan.CheckSuccessor(plan);
            Volatile.Write(ref _plan, plan);
            Volatile.Write(ref _placements, _placements + 1);
            foreach (var group in _groups)
            {
                group.Place(PlacementOf(plan.Nodes[group.NodeIndex]));
            }

            // With fewer workers less work is worth a steal; a worker that woke to pin itself may have checked before that.
            foreach (var group in _groups)
            {
                if (group.HasOwnWork)
                {
                    group.Notify();
                }
            }

            Monitor?.Wake();
            AddMissing();
        }
    }

    // Last, because it may take long: a large machine has hundreds of workers, and may still be starting them.
    private void AddMissing()
    {
        if (IsStopped || !Array.Exists(_groups, static group => group.LacksWorkers))
        {
            return;
        }

        try
        {
            using var reserved = ReservedThreads.Start();
            foreach (var group in _groups)
            {
                while (group.TryAddMissing())
                {
                }
            }
        }
        catch (OutOfMemoryException e)
        {
            Array.ForEach(_groups, group => group.ReportMissing(e.Message));
        }
    }

    internal NodePlacement PlacementOf(NumaNodePlan node) => new(Plan, node, _affinity, ReportFallback);

    /// <summary>Pins the calling thread for the plan as a whole, for threads that belong to no node.</summary>
    internal void PinToPlan()
    {
        var plan = Plan;
        if (plan.IsEnabled)
        {
            _ = _affinity.TrySetThreadCpus(plan.CommonOf(plan.Cpus));
        }
    }
}
