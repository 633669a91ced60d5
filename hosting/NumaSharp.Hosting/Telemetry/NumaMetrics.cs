using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of the meter. All but one are observable: nothing is counted without a reader.</summary>
internal sealed class NumaMetrics(
    MeterLifetime lifetime,
    IMeterFactory meters,
    NumaPlan plan,
    NumaPlanMonitor monitor,
    HostPools pools,
    ResolvedAllocator allocator,
    PressureTrimmer trimmer,
    NumaTaskScheduler scheduler,
    EpollTransportFactory transport,
    NumaUdpSocketFactory udp,
    NumaFallbacks fallbacks,
    NodeStatisticsCache memory,
    ManagedHeapPages managedHeap)
{
    // Under no lock: a meter that comes or goes calls the application's listeners.
    private readonly LastRequest _changes = new();

    /// <summary>
    /// Creates the instruments, or removes them. Thread-safe: the last call counts. If a call is in progress, its thread carries
    /// this one out, too.
    /// </summary>
    public void SetPublished(bool isPublished) => _changes.Run(() => Set(isPublished));

    private void Set(bool isPublished)
    {
        if (!isPublished)
        {
            scheduler.MeasureWaits(null);
            lifetime.Meter?.Dispose();
            lifetime.Meter = null;
        }
        else if (lifetime.Meter is null)
        {
            Publish();
        }
    }

    // In the factory's scope, but not created by it: a factory keeps its meters until it is disposed.
    private void Publish()
    {
        var meter = lifetime.Meter = new Meter(new MeterOptions(NumaTelemetry.MeterName)
        {
            Version = typeof(NumaMetrics).Assembly.GetName().Version?.ToString(3),
            Scope = meters,
        });
        AddTopology(meter);
        NodeMetrics.Add(meter, memory, managedHeap);
        new MemoryMetrics(plan, pools, allocator, trimmer).Add(meter);
        SchedulerMetrics.Add(meter, scheduler, plan);
        TransportMetrics.Add(meter, transport, plan);
        UdpMetrics.Add(meter, udp, plan);
        PolicyMetrics.Add(meter, fallbacks);
        meter.CreateObservableCounter(
            NumaTelemetry.PlanChanges,
            () => monitor.ChangeCount,
            "{change}",
            "Changes of the plan because the machine changed.");
    }

    private void AddTopology(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.NodeCount,
            () => monitor.Topology.NodeCount,
            "{node}",
            "NUMA nodes with CPUs or memory that the process may use.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.CpuAllowedCount,
            () => monitor.Topology.AllowedCpus.Count,
            "{cpu}",
            "CPUs that the process may run on.");
    }
}

/// <summary>
/// Disposes the meter with the container. Created before any MeterProvider of the container, so that it ends after it: a provider
/// exports for the last time on its own disposal, and that export must include the meter.
/// </summary>
internal sealed class MeterLifetime : IDisposable
{
    /// <summary>The meter currently published.</summary>
    public Meter? Meter { get; set; }

    public void Dispose() => Meter?.Dispose();
}
