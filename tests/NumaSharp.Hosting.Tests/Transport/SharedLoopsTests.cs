using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.EventLoop;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>A host has one set of loops for connections and datagram sockets.</summary>
public sealed class SharedLoopsTests
{
    public SharedLoopsTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Fact]
    public Task Loops_On64Cpus_AreOneThreadPerCpuAndASparePerNode() =>
        AssertThreadsAsync(nodes: 2, cpus: 32, EpollDispatchMode.Adaptive);

    [Fact]
    public Task Loops_On64CpusInline_AreAsMany() => AssertThreadsAsync(nodes: 2, cpus: 32, EpollDispatchMode.Inline);

    // It takes 3,000 descriptors.
    [Fact]
    [Trait("tier", "deep")]
    public Task Loops_On1024Cpus_AreOneThreadPerCpuAndASparePerNode() =>
        AssertThreadsAsync(nodes: 8, cpus: 128, EpollDispatchMode.Adaptive);

    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Datagrams_RunOnTheLoopsOfTheTransport(EpollDispatchMode dispatch)
    {
        using var folder = new TemporaryFolder();
        using var host = NumaHost.Create(("Transport:Dispatch", $"{dispatch}"));
        await using var listener = await ListenAsync(host.Services, folder);
        var loop = await LoopOfADatagramAsync(host.Services.GetRequiredService<NumaUdpSocketFactory>());

        Assert.Contains(loop, host.Services.GetRequiredService<SharedLoops>().Group!.Loops);
    }

    [Fact]
    public async Task Factories_GivenTheSameLoops_ShareThemAndEndWhatIsTheirs()
    {
        using var folder = new TemporaryFolder();
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var loops = new NumaEventLoopGroup(scheduler.Plan);
        using var transport = new EpollTransportFactory(scheduler, loops: loops);
        using var datagrams = new NumaUdpSocketFactory(scheduler.Plan, loops: loops);
        var path = new UnixDomainSocketEndPoint(Path.Combine(folder.Path, "raw"));
        await using var listener = await transport.BindAsync(path, TestContext.Current.CancellationToken);
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(path);
        await using var connection = (await listener.AcceptAsync().AsTask().Within())!;
        var read = connection.Transport.Input.ReadAsync().AsTask();
        await connection.Transport.Output.WriteAsync(new byte[10_000], TestContext.Current.CancellationToken);
        transport.Dispose();

        await Assert.ThrowsAsync<ConnectionAbortedException>(() => read.Within());
        Assert.Null(await listener.AcceptAsync().AsTask().Within());
        Assert.NotNull(await Record.ExceptionAsync(() => Connected(path)));
        Assert.Equal(10_000, await ReceivedAsync(client));
        Assert.Contains(await LoopOfADatagramAsync(datagrams), loops.Loops);
        datagrams.Dispose();
        Assert.All(loops.Loops, static loop => Assert.Equal(0, loop.RegistrationCount));
        Assert.Throws<ArgumentException>(() => new NumaUdpSocketFactory(TestMachines.Row(3, 3).Plan(), loops: loops));
    }

    [Fact]
    public void Factory_AdaptiveOnLoopsWithoutAWatchdog_IsRefused()
    {
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var loops = new NumaEventLoopGroup(
            scheduler.Plan, new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });

        Assert.Throws<ArgumentException>(() => new EpollTransportFactory(scheduler, loops: loops));
        new EpollTransportFactory(
            scheduler, new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline }, loops: loops).Dispose();
    }

    private static async Task Connected(EndPoint endPoint)
    {
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(endPoint);
    }

    // Until the end, which must be an orderly one.
    private static async Task<int> ReceivedAsync(Socket client)
    {
        var buffer = new byte[4096];
        var sum = 0;
        for (int count; (count = await client.ReceiveAsync(buffer).Within()) > 0;)
        {
            sum += count;
        }

        return sum;
    }

    private static async Task<NumaEventLoop?> LoopOfADatagramAsync(NumaUdpSocketFactory factory)
    {
        var loop = new TaskCompletionSource<NumaEventLoop?>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var socket = factory.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new Handler(() => loop.TrySetResult(NumaEventLoop.Current)));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        await client.SendToAsync(new byte[] { 1 }, socket.LocalEndPoint);
        return await loop.Task.Within();
    }

    // The machine's CPUs are simulated, the threads are real. One socket each: the loops are there for all others. The longest
    // threshold: a thread that waits for a thousand others to start is late, and a loop that is handed over has a thread more.
    private static async Task AssertThreadsAsync(int nodes, int cpus, EpollDispatchMode dispatch)
    {
        using var folder = new TemporaryFolder();
        using var machine = new SimulatedMachine(TestMachines.Row([.. Enumerable.Repeat(cpus, nodes)]));
        using var host = NumaHost.Create(
            machine, ("Transport:Dispatch", $"{dispatch}"), ("Transport:StallThreshold", "10s"));
        var shared = host.Services.GetRequiredService<SharedLoops>();
        Assert.Null(shared.Group);
        await using var listener = await ListenAsync(host.Services, folder);
        var group = shared.Group;
        await using var socket = host.Services.GetRequiredService<NumaUdpSocketFactory>().Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new NumaUdpOptions { Shards = 1 });

        Assert.Same(group, shared.Group);
        Assert.Equal(nodes * cpus, group!.Loops.Count);
        Assert.Equal((nodes * cpus) + nodes, group.Threads.Sum(static node => node.Count));
        await listener.UnbindAsync(TestContext.Current.CancellationToken);
        await listener.DisposeAsync();
        Assert.Same(group, shared.Group);
        await socket.DisposeAsync();
        Assert.Null(shared.Group);
        Assert.Equal(0, group.Threads.Sum(static node => node.Count));
    }

    private static ValueTask<IConnectionListener> ListenAsync(IServiceProvider services, TemporaryFolder folder) =>
        services.GetRequiredService<EpollTransportFactory>().BindAsync(
            new UnixDomainSocketEndPoint(Path.Combine(folder.Path, "http")), TestContext.Current.CancellationToken);

    private sealed class Handler(Action onReceived) : IDatagramHandler
    {
        public void OnBatch(in DatagramBatch batch) => onReceived();
    }
}
