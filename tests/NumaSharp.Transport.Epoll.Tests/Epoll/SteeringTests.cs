using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>
/// Two CPUs of this machine as two nodes, and clients on one of them: over the loopback interface a packet is received on the
/// CPU of its sender.
/// </summary>
public sealed class SteeringTests : IDisposable
{
    private const int Clients = 20;

    private readonly int[] _cpus;
    private readonly NumaTaskScheduler _scheduler;
    private readonly List<Socket> _clients = [];

    public SteeringTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        // Not this thread's: the test may continue on a pinned worker of the one before.
        var allowed = NumaTopology.Instance.AllowedCpus;
        Assert.SkipUnless(allowed.Count > 1, "Two nodes need two CPUs.");
        _cpus = [.. allowed.Take(2)];
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = Machine(_cpus).Plan() });
    }

    public void Dispose()
    {
        _clients.ForEach(static client => client.Dispose());
        _scheduler?.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Cpu_ClientsOnOneCpu_GetTheLoopOfItsNode(bool sharePort)
    {
        using var transport = Create(new EpollTransportOptions { SharePort = sharePort });
        await using var listener = await transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        for (var node = 0; node < _cpus.Length; node++)
        {
            Assert.All(await ConnectAsync(listener, _cpus[node]), it => Assert.Equal(node, it.NodeId.Value));
        }

        // Without a program in the kernel any loop accepts, and gives the connection away.
        Assert.Equal(sharePort, transport.GetStatistics().Sum(static loop => loop.PlacedConnections) > 0);
    }

    [Fact]
    public async Task Apply_PlanThatExchangesTheNodes_NewConnectionsFollow()
    {
        using var transport = Create(new EpollTransportOptions());
        await using var listener = await transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        Assert.All(await ConnectAsync(listener, _cpus[0]), static it => Assert.Equal(0, it.NodeId.Value));
        transport.Apply(_scheduler.Plan.Adapt(Machine([_cpus[1], _cpus[0]]).Read()).Plan);

        Assert.All(await ConnectAsync(listener, _cpus[0]), static it => Assert.Equal(1, it.NodeId.Value));
    }

    [Fact]
    public async Task LeastLoaded_ClientsOnOneCpu_AreSpreadEvenly()
    {
        using var transport = Create(new EpollTransportOptions { Steering = EpollSteering.LeastLoaded });
        await using var listener = await transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        var places = await ConnectAsync(listener, _cpus[0]);

        Assert.All(places.CountBy(static it => it.LoopIndex), static loop => Assert.Equal(Clients / 2, loop.Value));
    }

    [Fact]
    public async Task Cpu_ConnectionThatWasGivenAway_IsServedByItsLoop()
    {
        using var transport = Create(new EpollTransportOptions { SharePort = true });
        await using var listener = await transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        foreach (var cpu in _cpus)
        {
            Connect(cpu, (IPEndPoint)listener.EndPoint);
            await using var connection = (await listener.AcceptAsync().Within("the connection is accepted"))!;
            await _clients[^1].SendAsync("hello"u8.ToArray());
            var read = await connection.Transport.Input.ReadAsync().AsTask().Within("the bytes arrive");

            Assert.Equal(5, read.Buffer.Length);
            connection.Transport.Input.AdvanceTo(read.Buffer.End);
            connection.Abort();
        }
    }

    private EpollTransportFactory Create(EpollTransportOptions options) => new(_scheduler, options);

    private async Task<List<INumaConnectionFeature>> ConnectAsync(IConnectionListener listener, int cpu)
    {
        var connections = new List<ConnectionContext>();
        for (var i = 0; i < Clients; i++)
        {
            Connect(cpu, (IPEndPoint)listener.EndPoint);
            connections.Add((await listener.AcceptAsync().Within("the connection is accepted"))!);
        }

        foreach (var connection in connections)
        {
            connection.Abort();
            await connection.DisposeAsync();
        }

        return [.. connections.Select(static connection => connection.Features.Get<INumaConnectionFeature>()!)];
    }

    private void Connect(int cpu, IPEndPoint server)
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _clients.Add(client);
        TestThreads.RunOn(CpuSet.FromIds(cpu), () => client.Connect(server));
    }

    private static SimulatedMachineOptions Machine(int[] cpus) =>
        TestMachines.Of([.. cpus.Select(static (cpu, id) => (id, CpuSet.FromIds(cpu)))]);
}
