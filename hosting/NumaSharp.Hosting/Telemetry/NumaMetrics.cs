using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Hosting.Registration;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of the meter. All but one are observed: nothing is counted that nobody reads.</summary>
internal sealed class NumaMetrics(
    IMeterFactory meters,
    NumaPlan plan,
    NumaPlanMonitor monitor,
    NumaMemoryPools pools,
    NodeMemoryPoolFactory servers,
    MadeAllocator allocator,
    NumaTaskScheduler scheduler,
    EpollTransportFactory transport,
    NumaUdpSocketFactory udp,
    NumaFallbacks fallbacks,
    NodeMemoryReader memory)
{
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
        new MemoryMetrics(plan, pools, servers, allocator).Add(_meter);
        SchedulerMetrics.Add(_meter, scheduler, plan);
        TransportMetrics.Add(_meter, transport);
        UdpMetrics.Add(_meter, udp);
        PolicyMetrics.Add(_meter, fallbacks);
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
}
