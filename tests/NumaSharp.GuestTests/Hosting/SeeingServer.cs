using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>
/// Kestrel with AddNuma in this process. Its connections echo what they are sent, and note where they ran and where every
/// buffer was that passed through their hands.
/// </summary>
internal sealed class SeeingServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentQueue<SeenConnection> _seen = [];
    private readonly bool _looksAtPages;
    private ListenOptions? _endPoint;

    private SeeingServer(string dispatch, string pollInterval, string granularity)
    {
        // A page that the kernel is moving is nowhere.
        _looksAtPages = pollInterval == "0";
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration["Numa:Transport:Dispatch"] = dispatch;
        builder.Configuration["Numa:Topology:PollInterval"] = pollInterval;
        builder.Configuration["Numa:Affinity:Granularity"] = granularity;

        // Any other policy lets an idle node help, off the connection's node.
        builder.Configuration["Numa:Scheduler:Policy"] = "NodeStrict";
        builder.AddNuma();
        builder.AllowSlowClients();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, options =>
        {
            _endPoint = options;
            options.Run(ServeAsync);
        }));
        _app = builder.Build();
    }

    public IReadOnlyCollection<SeenConnection> Seen => _seen;

    public IServiceProvider Services => _app.Services;

    public static async Task<SeeingServer> StartAsync(
        string dispatch, string pollInterval = "0", string granularity = "Auto")
    {
        var server = new SeeingServer(dispatch, pollInterval, granularity);
        await server._app.StartAsync();
        return server;
    }

    public async Task<TcpClient> ConnectAsync()
    {
        var client = new TcpClient();
        await client.ConnectAsync(_endPoint!.IPEndPoint!);
        return client;
    }

    /// <summary>Connects from some CPUs: over the loopback interface they receive what they send.</summary>
    public TcpClient Connect(CpuSet from)
    {
        var client = new TcpClient();
        TestThreads.RunOn(from, () => client.Connect(_endPoint!.IPEndPoint!));
        return client;
    }

    /// <summary>Connects, sends so much, receives it back, and ends the connection.</summary>
    public async Task ExchangeAsync(int bytes, CpuSet? from = null)
    {
        using var client = from is null ? await ConnectAsync() : Connect(from);
        var stream = client.GetStream();
        var sending = stream.WriteAsync(new byte[bytes]);
        await stream.ReadExactlyAsync(new byte[bytes]);
        await sending;
        client.Client.Shutdown(SocketShutdown.Send);

        // The server's end comes after it has noted what it saw.
        Assert.Equal(0, await stream.ReadAsync(new byte[1]));
    }

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private async Task ServeAsync(ConnectionContext connection)
    {
        var place = connection.Features.Get<INumaConnectionFeature>()!;
        var seen = new SeenConnection(place.LoopIndex, place.NodeId.Value, [], [], [], []);
        while (true)
        {
            var read = await connection.Transport.Input.ReadAsync();
            NumaPlatform.Default.Affinity.GetCurrent(out var cpu, out var node).ThrowIfFailed("getcpu");
            seen.ThreadNodes.Add(node.Value);
            seen.ThreadCpus.Add(cpu);
            foreach (var part in read.Buffer)
            {
                seen.InputNodes.UnionWith(NodesOf(part));
                var target = connection.Transport.Output.GetMemory(part.Length);
                part.CopyTo(target);
                seen.OutputNodes.UnionWith(NodesOf(target[..part.Length]));
                connection.Transport.Output.Advance(part.Length);
            }

            connection.Transport.Input.AdvanceTo(read.Buffer.End);
            await connection.Transport.Output.FlushAsync();
            if (read.IsCompleted)
            {
                break;
            }
        }

        _seen.Enqueue(seen);
    }

    private unsafe SortedSet<int> NodesOf(ReadOnlyMemory<byte> memory)
    {
        using var pin = memory.Pin();
        return memory.IsEmpty || !_looksAtPages ? [] : [.. Pages.CountByNode((nint)pin.Pointer, memory.Length).Keys];
    }
}
