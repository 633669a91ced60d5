using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Tests.Scheduling;

/// <summary>Hand-made machines, and schedulers on them that pin nothing.</summary>
internal static class TestMachine
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Nodes with the given numbers of CPUs, in a row: the distance grows with the difference of the ids.</summary>
    public static NumaTopology Row(params int[] cpusPerNode)
    {
        var first = 0;
        var nodes = new List<NumaNode>();
        for (var id = 0; id < cpusPerNode.Length; id++)
        {
            var cpus = CpuSet.Range(first, cpusPerNode[id]);
            first += cpusPerNode[id];
            nodes.Add(new NumaNode
            {
                NodeId = id,
                Cpus = cpus,
                OnlineCpus = cpus,
                MemoryBytes = 1 << 30,
                IsMemoryAllowed = true,
                Kind = cpus.IsEmpty ? NumaNodeKind.Memory : NumaNodeKind.Normal,
                Distances = Enumerable.Range(0, cpusPerNode.Length).ToDictionary(to => to, to => 10 + (10 * Math.Abs(to - id))),
            });
        }

        return new NumaTopology("test", nodes);
    }

    public static NumaPlan Plan(params int[] cpusPerNode) => NumaPlan.Create(Row(cpusPerNode));

    public static NumaTaskSchedulerOptions Options(
        NumaPlan plan, NumaSchedulingPolicy policy = NumaSchedulingPolicy.NodeStrict) =>
        new() { Plan = plan, Policy = policy, Affinity = new FakeAffinity() };

    public static NumaTaskScheduler Start(NumaSchedulingPolicy policy, params int[] cpusPerNode) =>
        Start(policy, compensate: true, cpusPerNode);

    public static NumaTaskScheduler Start(NumaSchedulingPolicy policy, bool compensate, params int[] cpusPerNode)
    {
        var options = Options(Plan(cpusPerNode), policy);
        options.CompensateBlocking = compensate;
        return new NumaTaskScheduler(options);
    }

    public static void WaitFor(this WaitHandle handle) => Assert.True(handle.WaitOne(Patience));

    public static void WaitFor(this CountdownEvent countdown) => Assert.True(countdown.Wait(Patience));

    public static void WaitFor(this Task task) => Assert.True(task.Wait(Patience));

    /// <summary>For conditions that nothing announces, such as a spare that leaves.</summary>
    public static void WaitUntil(Func<bool> condition) => Assert.True(SpinWait.SpinUntil(condition, Patience));

    /// <summary>
    /// Occupies all workers of a node with raw items until the gate opens; returns when these run and all others sleep, so
    /// that nobody is just passing by who might take what is queued next.
    /// </summary>
    public static void Occupy(this NumaTaskScheduler scheduler, int nodeIndex, ManualResetEvent gate)
    {
        using var entered = new CountdownEvent(scheduler.WorkerCount(nodeIndex));
        void Enter(object? state)
        {
            if (NumaTaskScheduler.CurrentNodeIndex != nodeIndex)
            {
                // Taken by another node's worker on its way to sleep.
                scheduler.QueueOnNode(nodeIndex, Enter, state);
                return;
            }

            ((CountdownEvent)state!).Signal();
            gate.WaitFor();
        }

        for (var i = entered.InitialCount; i > 0; i--)
        {
            scheduler.QueueOnNode(nodeIndex, Enter, entered);
        }

        entered.WaitFor();
        WaitUntil(() => scheduler.Groups.All(static group =>
            group.Workers.ToArray().All(static worker => worker?.IsWaiting != false)));
    }
}
