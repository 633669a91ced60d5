using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Handlers that never return take the threads of their loop one after the other; it must not run out of them.</summary>
public sealed class HungHandlersTests : IAsyncDisposable
{
    private const int MaxThreads = 8;
    private const int MayBeLate = 2;
    private const int Connections = 6;
    private const byte Hang = 1;
    private const byte Answer = 2;

    private readonly LateThread _late = new();
    private readonly Gate _release = new();
    private readonly NumaTaskScheduler? _scheduler;
    private readonly EpollTransportFactory? _factory;
    private readonly List<Socket> _clients = [];
    private readonly List<Task> _serving = [];
    private IConnectionListener? _listener;
    private int _onLoop;
    private int _onWorkers;

    public HungHandlersTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() });
        var options = new EpollTransportOptions
        {
            Dispatch = EpollDispatchMode.Adaptive,
            ConfigureLoops = loops =>
            {
                loops.MaxThreadsPerLoop = MaxThreads;
                _late.Configure(loops);
            },
        };
        _factory = new EpollTransportFactory(_scheduler, options);
    }

    public async ValueTask DisposeAsync()
    {
        _release.Dispose();
        foreach (var client in _clients)
        {
            client.Dispose();
        }

        await Task.WhenAll(_serving).Within("the handlers end");
        if (_listener is not null)
        {
            await _listener.DisposeAsync();
        }

        _factory?.Dispose();
        _scheduler?.Dispose();
    }

    [Fact]
    public async Task Handlers_NeverReturn_TakeAQuarterOfTheLoopsThreadsAndTheRestRunsOnWorkers()
    {
        _listener = await _factory!.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        for (var i = 1; i <= Connections; i++)
        {
            await (await ConnectAsync()).SendAsync(new[] { Hang });
            await Wait.UntilAsync(() => Volatile.Read(ref _onLoop) + Volatile.Read(ref _onWorkers) == i);
        }

        Assert.Equal((MayBeLate, Connections - MayBeLate), (_onLoop, _onWorkers));
        var other = await ConnectAsync();
        Assert.Equal(Place.Worker, await AskAsync(other));
        Assert.Equal(MayBeLate, Assert.Single(_factory.GetStatistics()).HandOvers);

        // They come back when the threads have.
        _release.Open();
        await Wait.UntilAsync(async () => await AskAsync(other) == Place.Loop);
    }

    private async Task<Socket> ConnectAsync()
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        _clients.Add(client);
        await client.ConnectAsync(_listener!.EndPoint);
        var connection = await _listener.AcceptAsync().Within("the connection is accepted");
        _serving.Add(Task.Run(() => ServeAsync(connection!)));
        return client;
    }

    private static async Task<Place> AskAsync(Socket client)
    {
        await client.SendAsync(new[] { Answer });
        var answer = new byte[1];
        Assert.Equal(1, await client.ReceiveAsync(answer).Within("the answer"));
        return (Place)answer[0];
    }

    private async Task ServeAsync(ConnectionContext connection)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        while (await input.ReadAsync() is { IsCompleted: false } read)
        {
            var asked = read.Buffer.FirstSpan[0];
            input.AdvanceTo(read.Buffer.End);
            var loop = NumaEventLoop.Current;
            if (asked == Hang)
            {
                HangOn(loop);
            }
            else
            {
                output.Write([(byte)(loop is not null ? Place.Loop : Place.Worker)]);
                await output.FlushAsync();
            }
        }

        await connection.DisposeAsync();
    }

    private void HangOn(NumaEventLoop? loop)
    {
        if (loop is null)
        {
            Interlocked.Increment(ref _onWorkers);
        }
        else
        {
            _late.LoseLoop(loop);
            Interlocked.Increment(ref _onLoop);
        }

        _release.Pass();
    }

    private enum Place : byte
    {
        Loop,
        Worker,
    }
}
