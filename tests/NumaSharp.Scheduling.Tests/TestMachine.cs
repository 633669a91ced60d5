using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Hand-made machines, and schedulers on them that pin nothing.</summary>
internal static class TestMachine
{
    public static NumaPlan Plan(params int[] cpusPerNode) => TestMachines.Row(cpusPerNode).Plan();

    public static NumaTaskSchedulerOptions Options(
        NumaPlan plan, NumaSchedulingPolicy policy = NumaSchedulingPolicy.NodeStrict) =>
        new() { Plan = plan, Policy = policy, Affinity = new FakeAffinity(), DrainTimeout = Wait.Limit };

    /// <summary>
    /// One with the workers of its plan and no others: what a spare would run, on a busy machine, is not left to chance.
    /// </summary>
    public static NumaTaskScheduler Start(NumaSchedulingPolicy policy, params int[] cpusPerNode) =>
        Start(policy, compensate: false, cpusPerNode);

    public static NumaTaskScheduler Start(NumaSchedulingPolicy policy, bool compensate, params int[] cpusPerNode)
    {
        var options = Options(Plan(cpusPerNode), policy);
        options.CompensateBlocking = compensate;
        return new NumaTaskScheduler(options);
    }

    /// <summary>
    /// Waits until the workers of these nodes, by default of all, are idle. A worker that starts, or is on its way to sleep,
    /// takes what it sees, whatever node it is of.
    /// </summary>
    public static void WaitForIdle(this NumaTaskScheduler scheduler, params int[] nodes)
    {
        var groups = scheduler.Groups.Where(group => nodes.Length == 0 || nodes.Contains(group.Home.NodeIndex)).ToArray();
        Wait.Until(() => groups.All(static group => group.IdleCount == group.WorkerCount));
    }

    /// <summary>
    /// Occupies all workers of a node with raw items until the gate opens; returns when these run and all others sleep, so
    /// that no searching worker might take what is queued next. Where blocking is compensated a spare may be among
    /// those that are occupied, and a worker of the plan idle instead: on a busy machine it may be the later one.
    /// </summary>
    public static void Occupy(this NumaTaskScheduler scheduler, int nodeIndex, ManualResetEvent gate)
    {
        using var entered = new CountdownEvent(scheduler.GetWorkerCount(nodeIndex));
        void Enter(object? state)
        {
            if (NumaTaskScheduler.CurrentNodeIndex != nodeIndex)
            {
                // Taken by another node's worker on its way to sleep.
                scheduler.QueueOnNode(nodeIndex, Enter, state);
                return;
            }

            // For as long as the test takes: an assertion that failed here would end the process.
            ((CountdownEvent)state!).Signal();
            gate.WaitOne();
        }

        for (var i = entered.InitialCount; i > 0; i--)
        {
            scheduler.QueueOnNode(nodeIndex, Enter, entered);
        }

        entered.WaitFor();
        Wait.Until(() => scheduler.Groups.All(static group =>
            group.Workers.ToArray().All(static worker => worker?.IsWaiting != false)));
    }
}
