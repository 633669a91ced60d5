using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The scheduler's instruments, by node.</summary>
internal static class SchedulerMetrics
{
    private static readonly KeyValuePair<string, object?> s_planned = new(NumaTelemetry.WorkerKindAttribute, "planned");
    private static readonly KeyValuePair<string, object?> s_spare = new(NumaTelemetry.WorkerKindAttribute, "spare");

    // Seconds: from a worker that is already looking to one that everybody waits for.
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
            () => Observe(plan, node => [new(scheduler.GetQueueLength(node.NodeIndex), TagOf(node))]),
            "{item}",
            "Work items that wait for a worker of the node.");
        meter.CreateObservableCounter(
            NumaTelemetry.SchedulerExecuted,
            () => Observe(plan, node => [new(scheduler.GetExecuted(node.NodeIndex), TagOf(node))]),
            "{item}",
            "Work items that the node's workers have run.");
        meter.CreateObservableCounter(
            NumaTelemetry.SchedulerSteals,
            () => Observe(plan, node => Steals(scheduler, node)),
            "{item}",
            "Work items that the node's workers took from the queues of other workers.");
        meter.CreateObservableCounter(
            NumaTelemetry.SchedulerEscapes,
            () => Observe(plan, node => [new(scheduler.GetEscapes(node.NodeIndex), TagOf(node))]),
            "{end}",
            "How often asynchronous work that began on the node ended outside the scheduler's workers.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.SchedulerWorkers,
            () => Observe(plan, node => Workers(scheduler, node)),
            "{thread}",
            "Threads that run the node's work.");
        scheduler.MeasureWaits(meter.CreateHistogram(
            NumaTelemetry.SchedulerWait,
            "s",
            "How long a sample of the work items waited between being queued and being started.",
            advice: s_waits));
    }

    private static IEnumerable<Measurement<long>> Observe(
        NumaPlan plan, Func<NumaNodePlan, IEnumerable<Measurement<long>>> read) => plan.Nodes.SelectMany(read);

    private static IEnumerable<Measurement<long>> Steals(NumaTaskScheduler scheduler, NumaNodePlan node) =>
        scheduler.GetStolenByDistance(node.NodeIndex).OrderBy(static pair => pair.Key).Select(pair => new Measurement<long>(
            pair.Value, TagOf(node), new KeyValuePair<string, object?>(NumaTelemetry.NodeDistanceAttribute, pair.Key)));

    private static IEnumerable<Measurement<long>> Workers(NumaTaskScheduler scheduler, NumaNodePlan node)
    {
        var spares = scheduler.GetSpareCount(node.NodeIndex);
        yield return new(scheduler.WorkerCount(node.NodeIndex) - spares, TagOf(node), s_planned);
        yield return new(spares, TagOf(node), s_spare);
    }

    private static KeyValuePair<string, object?> TagOf(NumaNodePlan node) => new(NumaTelemetry.NodeIdAttribute, node.NodeId);
}
