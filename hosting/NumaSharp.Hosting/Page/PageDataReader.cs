using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Live;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Page;

/// <summary>Reads the page's data. Thread-safe; creates no services that do not exist yet.</summary>
internal sealed class PageDataReader(
    NumaPlan plan,
    NumaPlanMonitor monitor,
    HostPools pools,
    ResolvedAllocator allocator,
    NumaTaskScheduler scheduler,
    EpollTransportFactory transport,
    TransportChoice choice,
    NumaUdpSocketFactory udp,
    NumaFallbacks fallbacks,
    NodeStatisticsCache memory,
    ManagedHeapReport managedHeap,
    ManagedHeapPages heapPages,
    IOptions<NumaOptions> options,
    LiveOptions live,
    TimeProvider? time = null)
{
    private static readonly string s_version = typeof(PageDataReader).Assembly.GetName().Version!.ToString(3);

    private readonly TimeProvider _time = time ?? TimeProvider.System;

    public PageData Read()
    {
        var current = monitor.Plan;
        var topology = monitor.Topology;
        var loops = transport.IsRunning ? transport.GetStatistics() : [];
        var problems = fallbacks.Current;
        var figures = memory.Read().ToDictionary(static node => node.NodeId);
        var heap = heapPages.Read();
        return new PageData(
            _time.GetUtcNow(),
            live.Value.Page.Interval.TotalSeconds,
            ReadProcess(),
            ReadPlan(current, topology),
            [
                .. topology.Nodes.Select(node => ReadNode(
                    node,
                    topology,
                    figures.GetValueOrDefault(node.Id),
                    heap.Count == 0 ? null : heap.FirstOrDefault(part => part.NodeId == node.Id).Bytes,
                    ReadPlacement(node.Id, current, loops, problems))),
            ],
            [.. loops.Select(ReadLoop)],
            [.. udp.GetStatistics().Select(ReadDatagrams)],
            [.. plan.Nodes.SelectMany(ReadTraffic)],
            [
                .. problems.Select(static one => new FallbackState(one.Feature, one.NodeId?.Value, one.Message, one.Remedy)),
            ]);
    }

    private ProcessState ReadProcess()
    {
        using var process = Process.GetCurrentProcess();
        return new ProcessState(
            Environment.ProcessId,
            Environment.MachineName,
            RuntimeInformation.FrameworkDescription,
            s_version,
            (_time.GetUtcNow() - process.StartTime.ToUniversalTime()).TotalSeconds);
    }

    private PlanState ReadPlan(NumaPlan current, NumaTopology topology) => new(
        current.ToString(),
        current.IsEnabled,
        topology.Source,
        current.Request.Policy.ToString(),
        current.BindMode.ToString(),
        options.Value.Scheduler.Policy.ToString(),
        choice.ToString(),
        topology.AllowedCpus.ToString(),
        current.Cpus.ToString(),
        monitor.ChangeCount,
        managedHeap.Find(current) is { } heap ? [.. current.Notes, heap.ToString()] : current.Notes,
        topology.Warnings);

    private static NodeState ReadNode(
        NumaNode node, NumaTopology topology, NodeFigures figures, long? managedHeapBytes, PlacementState? placement) => new(
        node.NodeId,
        node.Kind.ToString(),
        node.Cpus.ToString(),
        node.OnlineCpus.ToString(),
        node.IsMemoryAllowed,
        node.MemoryTier,
        node.MemoryBytes,
        figures.NodeId == node.Id && figures.MemoryBytes > 0 ? figures.MemoryFreeBytes : node.MemoryFreeBytes,
        managedHeapBytes,
        [.. node.HugePages.Select(static pages => new HugePageState(pages.PageBytes, pages.Total, pages.Free))],
        [.. topology.Nodes.Select(other => topology.GetDistance(node.Id, other.Id))],
        figures.Counters is { } counters
            ? new AllocationState(counters.Hit, counters.Miss, counters.Foreign, counters.Local, counters.Other)
            : null,
        placement);

    private PlacementState? ReadPlacement(
        NumaNodeId nodeId, NumaPlan current, IReadOnlyList<EpollLoopStatistics> loops, IReadOnlyList<NumaFallback> problems)
    {
        if (plan.FindNode(nodeId) is not { } asked)
        {
            return null;
        }

        var index = asked.NodeIndex;
        var applied = current.Nodes[index];
        var bound = plan.BindMode == NumaBindMode.None ? "none" : "bound";
        var isRefused = problems.Any(one => one.Feature == FallbackCatalog.MemoryBind.Id && (one.NodeId ?? nodeId) == nodeId);
        var spares = scheduler.GetSpareCount(index);
        return new PlacementState(
            index,
            current.Nodes[applied.ServingIndex].NodeId.Value,
            new PlacedState(
                asked.Cpus.ToString(), ListOf(asked), bound, asked.ServesItself ? asked.Threads : 0, asked.Loops),
            new PlacedState(
                applied.Cpus.ToString(),
                ListOf(applied),
                isRefused ? "first touch" : bound,
                scheduler.GetWorkerCount(index) - spares,
                loops.Count(loop => loop.NodeId == nodeId && loop.IsServing)),
            new WorkState(scheduler.GetQueueLength(index), scheduler.GetExecuted(index), scheduler.GetEscapes(index), spares),
            ReadMemory(nodeId, index));
    }

    private MemoryState ReadMemory(NumaNodeId nodeId, int index)
    {
        var heap = allocator.Value?.GetStatistics(nodeId) ?? default;
        return new MemoryState(
            pools.SumOf(index, static pool => pool.RentedBytes),
            pools.SumOf(index, static pool => pool.CommittedBytes),
            heap.AllocatedBytes,
            heap.CommittedBytes,
            heap.RemoteFrees);
    }

    private static string ListOf(NumaNodePlan node) =>
        CpuSet.FromIds(node.MemoryNodeIds.Select(static id => id.Value)).ToString();

    private static LoopState ReadLoop(EpollLoopStatistics loop) => new(
        loop.LoopIndex,
        loop.NodeId.Value,
        loop.IsServing,
        loop.StuckFor.TotalSeconds,
        loop.ActiveConnections,
        loop.AcceptedConnections,
        loop.PlacedConnections,
        loop.BytesReceived,
        loop.BytesSent,
        loop.EstimatedReceives,
        loop.CrossNodeReceives,
        loop.HandOvers,
        loop.Demotions,
        loop.Restarts);

    private static DatagramState ReadDatagrams(NumaUdpShardStatistics loop) => new(
        loop.LoopIndex,
        loop.NodeId.Value,
        loop.IsServing,
        loop.ReceivedDatagrams,
        loop.SentDatagrams,
        loop.ReceivedBytes,
        loop.SentBytes,
        loop.BuffersDropped + loop.RepliesDropped + loop.RefusedDatagrams + loop.OwnSourceDropped);

    private IEnumerable<TrafficState> ReadTraffic(NumaNodePlan to) =>
        scheduler.GetStolenByNode(to.NodeIndex)
            .OrderBy(static from => from.Key)
            .Select(from => new TrafficState(from.Key.Value, to.NodeId.Value, from.Value));
}
