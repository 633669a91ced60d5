using NumaSharp.Core;
using NumaSharp.Core.Affinity;

namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
    private readonly Lock _applyLock = new();
    private NumaPlan _plan;
    private int _placements;

    /// <summary>How often threads were told to pin themselves, for a thread to see that it must again.</summary>
    internal int Placements => Volatile.Read(ref _placements);

    /// <summary>
    /// Carries out a plan that follows the current one: every worker pins itself as it says, sleeping ones now, the others
    /// before their next item. Also the current plan may be given, to pin all workers again. Work is not touched. Threads of
    /// <see cref="TaskCreationOptions.LongRunning"/> tasks stay where the system has moved them.
    /// </summary>
    /// <param name="plan">What <see cref="NumaPlan.Adapt"/> made of <see cref="Plan"/>.</param>
    /// <exception cref="ArgumentException">It was made of another plan: its positions or workers are other ones.</exception>
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

            // Where fewer workers are, less work is worth a steal; who woke to pin itself may have looked before that.
            foreach (var group in _groups)
            {
                if (group.HasOwnWork)
                {
                    group.Notify();
                }
            }

            Monitor?.Wake();
        }
    }

    internal NodePlacement PlacementOf(NumaNodePlan node) => new(Plan, node, _affinity, ReportFallback);

    /// <summary>Pins the calling thread for the plan as a whole, for threads that are nobody's in particular.</summary>
    internal void PinToPlan()
    {
        var plan = Plan;
        if (plan.IsEnabled)
        {
            _ = _affinity.TrySetThreadCpus(plan.CommonOf(plan.Cpus));
        }
    }
}
