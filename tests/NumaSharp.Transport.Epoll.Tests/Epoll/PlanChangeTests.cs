using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>A server whose machine, two nodes of two CPUs, changes all the time.</summary>
public sealed class PlanChangeTests : IDisposable
{
    private static readonly CpuSet[] s_allowed =
        [CpuSet.ParseList("0-1"), CpuSet.ParseList("3"), CpuSet.ParseList("0-3"), CpuSet.ParseList("1,2")];

    private readonly SimulatedMachine _machine = new(TestMachines.Row(2, 2));
    private readonly NumaTaskScheduler? _scheduler;

    public PlanChangeTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = NumaPlan.Create(_machine.Platform.Topology.Read()),
            Affinity = _machine.Platform.Affinity,
        });
    }

    public void Dispose()
    {
        _scheduler?.Dispose();
        _machine.Dispose();
    }

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Apply_UnderLoad_LosesNoRequestAndNoConnection(EpollDispatchMode dispatch)
    {
        using var transport = new EpollTransportFactory(
            _scheduler!, new EpollTransportOptions { Dispatch = dispatch, Platform = _machine.Platform });
        await using var server = await TestServer.StartAsync(
            host => host.UseNumaSharpTransport(transport), new TestServerOptions());
        var load = PingClients.RequestAsync(server.Http);
        var flips = 0;
        do
        {
            Apply(transport, s_allowed[flips++ % s_allowed.Length]);
            await Task.Yield();
        }
        while (!load.IsCompleted || flips < 2 * s_allowed.Length);
        await load;
        Assert.Empty(server.TakeErrors());

        _machine.ClearCalls();
        Apply(transport, CpuSet.FromIds(2));
        var threads = _scheduler!.Plan.Nodes.Sum(static node => node.Threads + node.Loops);
        await Wait.UntilAsync(() => PinnedTo().Count >= threads && PinnedTo().Values.All(static cpus => cpus == "2"));
        await PingClients.RequestAsync(server.Http, 0);
    }

    private void Apply(EpollTransportFactory transport, CpuSet allowed)
    {
        _machine.Change(machine => machine.AllowedCpus = allowed);
        var plan = _scheduler!.Plan.Adapt(_machine.Platform.Topology.Read()).Plan;
        _scheduler.Apply(plan);
        transport.Apply(plan);
    }

    // By thread: what it has pinned itself to last.
    private Dictionary<int, string> PinnedTo() => _machine.Calls
        .Where(static call => call.Operation == SimulatedOperation.SetThreadCpus)
        .GroupBy(static call => call.ThreadId)
        .ToDictionary(static calls => calls.Key, static calls => $"{calls.Last().Cpus}");
}
