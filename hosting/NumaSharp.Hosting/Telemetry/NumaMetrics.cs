using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of the meter. All but one are observed: nothing is counted that nobody reads.</summary>
internal sealed class NumaMetrics(
    IMeterFactory meters,
    NumaTopology topology,
    NumaPlan plan,
    NumaPlanMonitor monitor,
    NumaMemoryPools pools,
    NodeMemoryPoolFactory servers,
    NumaTaskScheduler scheduler,
    EpollTransportFactory transport,
    NumaUdpSocketFactory udp,
    NumaFallbacks fallbacks,
    NodeMemoryReader memory)
{
    private readonly Dictionary<int, KeyValuePair<string, object?>> _tags = topology.Nodes.ToDictionary(
        static node => node.NodeId,
        static node => new KeyValuePair<string, object?>(NumaTelemetry.NodeIdAttribute, node.NodeId));

    private Meter? _meter;

    /// <summary>Makes the instruments; further calls do nothing.</summary>
    public void Publish()
    {
        if (_meter is not null)
        {
            return;
        }

        _meter = meters.Create(new MeterOptions(NumaTelemetry.MeterName)
        {
            Version = typeof(NumaMetrics).Assembly.GetName().Version?.ToString(3),
        });
        AddTopology(_meter);
        NodeMetrics.Add(_meter, memory);
        AddMemory(_meter);
        SchedulerMetrics.Add(_meter, scheduler, plan);
        TransportMetrics.Add(_meter, transport);
        UdpMetrics.Add(_meter, udp);
        _meter.CreateObservableCounter(
            NumaTelemetry.PolicyFallbacks,
            () => fallbacks.Count,
            "{fallback}",
            "How often something that was asked for could not be had.");
        _meter.CreateObservableUpDownCounter(
            NumaTelemetry.PolicyActiveFallbacks,
            () => fallbacks.Current.Count,
            "{fallback}",
            "Features, for each node, that were asked for and cannot be had at the moment.");
        _meter.CreateObservableCounter(
            NumaTelemetry.PlanChanges,
            () => monitor.Changes,
            "{change}",
            "How often the plan has followed a machine that changed.");
    }

    private void AddTopology(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.NodeCount, () => monitor.Topology.NodeCount, "{node}", "NUMA nodes that the process may use.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.CpuAllowedCount,
            () => monitor.Topology.AllowedCpus.Count,
            "{cpu}",
            "CPUs that the process may run on.");
    }

    private void AddMemory(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolRented,
            () => Observe(node => pools[node].RentedBytes + (servers.Pools?[node].RentedBytes ?? 0)),
            "By",
            "Memory in blocks of the node's pools that are rented.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PoolCommitted,
            () => Observe(node => pools[node].CommittedBytes + (servers.Pools?[node].CommittedBytes ?? 0)),
            "By",
            "Memory that the node's pools have taken from the system.");
    }

    private IEnumerable<Measurement<long>> Observe(Func<int, long> read) =>
        plan.Nodes.Select(node => new Measurement<long>(read(node.NodeIndex), TagOf(node.NodeId)));

    // A node that came online after the start has no tag of its own yet.
    private KeyValuePair<string, object?> TagOf(int nodeId) =>
        _tags.TryGetValue(nodeId, out var tag) ? tag : new KeyValuePair<string, object?>(NumaTelemetry.NodeIdAttribute, nodeId);
}
