using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>One connection of the bare transport, and its client.</summary>
internal sealed class RawPair : IAsyncDisposable
{
    private readonly EpollTransportFactory _factory;
    private readonly NumaTaskScheduler _scheduler;
    private readonly IConnectionListener _listener;
    private RawPair? _another;

    private RawPair(
        EpollTransportFactory factory,
        NumaTaskScheduler scheduler,
        IConnectionListener listener,
        EpollConnection server,
        Socket client)
    {
        _factory = factory;
        _scheduler = scheduler;
        _listener = listener;
        Server = server;
        Client = client;
    }

    public EpollConnection Server { get; }

    public Socket Client { get; }

    public ReceivePipe Input => (ReceivePipe)Server.Transport.Input;

    public SendPipe Output => (SendPipe)Server.Transport.Output;

    /// <summary>On one node of this machine, also where it has several: its position is 0, and it has the connection.</summary>
    public static NumaTaskScheduler CreateScheduler()
    {
        var node = NumaTopology.Instance.Nodes.First(static candidate => !candidate.Cpus.IsEmpty);
        var request = new NumaPlanRequest { Nodes = CpuSet.FromIds(node.NodeId) };
        return new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = NumaPlan.Create(NumaTopology.Instance, request),
            Policy = NumaSchedulingPolicy.LocalityFirst,
        });
    }

    public static async Task<RawPair> ConnectAsync(
        EpollTransportOptions options,
        NumaTaskScheduler? scheduler = null,
        NumaMemoryPools? pools = null,
        ILoggerFactory? loggers = null,
        EndPoint? endPoint = null)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        scheduler ??= CreateScheduler();
        var factory = new EpollTransportFactory(scheduler, options, pools, loggerFactory: loggers);
        return await ConnectAsync(factory, scheduler, await factory.BindAsync(endPoint ?? new IPEndPoint(IPAddress.Loopback, 0)));
    }

    public static Task<RawPair> ConnectAsync(EpollDispatchMode dispatch) =>
        ConnectAsync(new EpollTransportOptions { Dispatch = dispatch });

    /// <summary>Another connection to the same listener; it ends with this one.</summary>
    public async Task<RawPair> ConnectAnotherAsync() => _another = await ConnectAsync(_factory, _scheduler, _listener);

    /// <summary>Ends the client with a reset.</summary>
    public void ResetClient()
    {
        Client.LingerState = new LingerOption(enable: true, seconds: 0);
        Client.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        await EndAsync();
        if (_another is not null)
        {
            await _another.EndAsync();
        }

        await _listener.DisposeAsync();
        _factory.Dispose();
        _scheduler.Dispose();
    }

    private static async Task<RawPair> ConnectAsync(
        EpollTransportFactory factory, NumaTaskScheduler scheduler, IConnectionListener listener)
    {
        var client = new Socket(listener.EndPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        if (client.AddressFamily != AddressFamily.Unix)
        {
            client.NoDelay = true;
        }

        await client.ConnectAsync(listener.EndPoint);
        var server = (EpollConnection?)await listener.AcceptAsync().Within("the connection is accepted");
        return new RawPair(factory, scheduler, listener, server!, client);
    }

    private async Task EndAsync()
    {
        Client.Dispose();
        Server.Abort();
        await Server.DisposeAsync();
    }
}
