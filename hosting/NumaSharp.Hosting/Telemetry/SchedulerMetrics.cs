using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The scheduler's instruments, by node.</summary>
internal static class SchedulerMetrics
{
    private static readonly KeyValuePair<string, object?> s_planned = new(NumaTelemetry.WorkerKindAttribute, "planned");
    private static readonly KeyValuePair<string, object?> s_spare = new(NumaTelemetry.WorkerKindAttribute, "spare");

    // Seconds: from a worker that is already spinning to one that the whole queue waits for.
    private static readonly InstrumentAdvice<double> s_waits = new()
    {
        HistogramBucketBoundaries =
        [
            0.000_001, 0.000_002, 0.000_005, 0.000_01, 0.000_02, 0.000_05, 0.000_1, 0.000_2, 0.000_5,
            0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1,
        ],
    };

    public static void Add(Meter meter, NumaTaskScheduler scheduler, NumaPlan plan)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.SchedulerQueueLength,
            NodeMeasurements.For(plan, node => scheduler.GetQueueLength(node.NodeIndex)),
            "{item}",
            "Work items waiting for a worker of the node.");
        meter.CreateObservableCounter(
            NumaTelemetry.SchedulerExecuted,
            NodeMeasurements.For(plan, node => scheduler.GetExecuted(node.NodeIndex)),
            "{item}",
            "Work items run by the node's workers.");
        meter.CreateObservableCounter(
            NumaTelemetry.SchedulerSteals,
            Steals(scheduler, plan),
            "{item}",
            "Work items that the node's workers took from other workers' queues.");
        meter.CreateObservableCounter(
            NumaTelemetry.SchedulerEscapes,
            NodeMeasurements.For(plan, node => scheduler.GetEscapes(node.NodeIndex)),
            "{end}",
            "Asynchronous work that began on the node and ended outside the scheduler's workers.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.SchedulerWorkers,
            () => Workers(scheduler, plan),
            "{thread}",
            "Worker threads of the node.");
        scheduler.MeasureWaits(meter.CreateHistogram(
            NumaTelemetry.SchedulerWait,
            "s",
            "Time from queuing to start of sampled work items.",
            advice: s_waits));
    }

    // The scheduling policy determines the distances once and for all.
    private static Func<IEnumerable<Measurement<long>>> Steals(NumaTaskScheduler scheduler, NumaPlan plan)
    {
        (NumaNodePlan Node, int Distance, KeyValuePair<string, object?> Attribute)[] sources =
        [
            .. from node in plan.Nodes
               from distance in scheduler.GetStolenByDistance(node.NodeIndex).Keys.Order()
               select (node, distance, new KeyValuePair<string, object?>(NumaTelemetry.NodeDistanceAttribute, distance)),
        ];
        return () => Array.ConvertAll(sources, source => NodeMeasurements.Of(
            source.Node.NodeId, scheduler.GetStolenAtDistance(source.Node.NodeIndex, source.Distance), source.Attribute));
    }

    private static Measurement<long>[] Workers(NumaTaskScheduler scheduler, NumaPlan plan)
    {
        var points = new Measurement<long>[2 * plan.Nodes.Count];
        for (var i = 0; i < plan.Nodes.Count; i++)
        {
            var (nodeId, spares) = (plan.Nodes[i].NodeId, scheduler.GetSpareCount(i));
            points[2 * i] = NodeMeasurements.Of(nodeId, scheduler.GetWorkerCount(i) - spares, s_planned);
            points[(2 * i) + 1] = NodeMeasurements.Of(nodeId, spares, s_spare);
        }

        return points;
    }
}
