using System.Collections.Concurrent;
using System.Net;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>A server whose machine changes all the time.</summary>
public sealed class PlanChangeTests : INumaAffinityProvider
{
    private readonly ConcurrentDictionary<int, CpuSet> _pinned = new();

    public PlanChangeTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    public string Name => "Recording";

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Apply_UnderLoad_LosesNoRequestAndNoConnection(EpollDispatchMode dispatch)
    {
        using var scheduler = new NumaTaskScheduler(
            new NumaTaskSchedulerOptions { Plan = NumaPlan.Create(Machine("0-3")), Affinity = this });
        var platform = NumaPlatform.Default with { Memory = new SingleNodeMemoryProvider(), Affinity = this };
        using var transport = new EpollTransportFactory(
            scheduler, new EpollTransportOptions { Dispatch = dispatch }, platform: platform);
        await using var server = await TestServer.StartAsync(
            host => host.UseNumaSharpTransport(transport), new TestServerOptions());
        using var stop = new CancellationTokenSource();
        var flips = Task.Factory.StartNew(
            () => Flip(scheduler, transport, stop.Token), stop.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        await PingClients.RequestAsync(server.Http);
        await stop.CancelAsync();
        Assert.True(await flips > 1);
        Assert.Empty(server.TakeErrors());

        var last = scheduler.Plan.Adapt(Machine("2")).Plan;
        scheduler.Apply(last);
        transport.Apply(last);
        Assert.True(SpinWait.SpinUntil(
            () => _pinned.Values.All(static cpus => cpus.ToString() == "2"), TimeSpan.FromSeconds(60)));
        await PingClients.RequestAsync(server.Http, 0).Within("requests on what is left");
    }

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = _pinned.GetValueOrDefault(Environment.CurrentManagedThreadId, CpuSet.Range(0, 4));
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        _pinned[Environment.CurrentManagedThreadId] = cpus;
        return NumaResult.Success;
    }

    public NumaResult GetCurrent(out int cpu, out int nodeId)
    {
        (cpu, nodeId) = (2, 1);
        return NumaResult.Success;
    }

    // Two nodes of two CPUs, each with memory.
    private static NumaTopology Machine(string cpus) => new("Test", Enumerable.Range(0, 2).Select(id => new NumaNode
    {
        NodeId = id,
        Cpus = CpuSet.ParseList(cpus).Intersect(CpuSet.Range(2 * id, 2)),
        IsMemoryAllowed = true,
    }));

    private static int Flip(NumaTaskScheduler scheduler, EpollTransportFactory transport, CancellationToken stop)
    {
        string[] machines = ["0-1", "3", "0-3", "1,2"];
        var flips = 0;
        for (; !stop.IsCancellationRequested; flips++)
        {
            var plan = scheduler.Plan.Adapt(Machine(machines[flips % machines.Length])).Plan;
            scheduler.Apply(plan);
            transport.Apply(plan);
        }

        return flips;
    }
}
