using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>
/// A server on one loop that answers each byte with as many blocks, and a client that looks on while others meet faults. At the
/// end nothing may be left: no descriptor, no block.
/// </summary>
internal sealed class FaultServer : IAsyncDisposable
{
    public const int AnswerLength = 4096;

    private readonly int _descriptors;
    private readonly NumaTaskScheduler _scheduler;
    private readonly NumaMemoryPools _pools;
    private readonly Channel<Exception?> _ends = Channel.CreateUnbounded<Exception?>();
    private readonly List<Task> _served = [];
    private readonly List<Socket> _clients = [];
    private IConnectionListener? _listener;
    private Task _accepting = Task.CompletedTask;
    private Socket? _bystander;
    private volatile NumaEventLoop? _loop;

    /// <param name="options">How it behaves.</param>
    /// <param name="onLog">Called by the logger, for each message.</param>
    public FaultServer(EpollTransportOptions? options = null, Action? onLog = null)
    {
        Log = new RecordingLog(onLog);
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

        // The BCL's own epoll instance is made with its first socket, and stays.
        using (var first = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))
        {
            first.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            first.Listen();
            _ = first.AcceptAsync();
        }

        _descriptors = Descriptors.Count();
        var plan = TestMachines.OneCpu().Plan();
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan });
        _pools = new NumaMemoryPools(plan);
        options ??= new EpollTransportOptions();
        options.Fallbacks = Fallbacks;
        Transport = new EpollTransportFactory(_scheduler, options, _pools, Log);
    }

    public EpollTransportFactory Transport { get; }

    public RecordingLog Log { get; }

    public NumaFallbacks Fallbacks { get; } = new();

    public EndPoint EndPoint => _listener!.EndPoint;

    public EpollLoopStatistics Loop => Assert.Single(Transport.GetStatistics());

    /// <summary>What a call of <paramref name="id"/> was logged with; the test fails unless it is exactly one.</summary>
    public string SingleLog(int id) => Assert.Single(Log.Entries, entry => entry.Id == id).Text;

    /// <summary>Binds, and connects the one that looks on.</summary>
    public async Task StartAsync(EndPoint? endPoint = null)
    {
        await BindAsync(endPoint ?? new IPEndPoint(IPAddress.Loopback, 0));
        _bystander = await ConnectAsync();
        await AskAsync(_bystander);

        // It may have its answer before the loop has asked for the next connection: that call is not to meet a test's fault.
        var turn = new Turn();
        _loop!.Post(turn);
        await turn.Taken.Within("the loop has ended its round");
    }

    public async Task BindAsync(EndPoint endPoint)
    {
        _listener = await Transport.BindAsync(endPoint);
        _accepting = AcceptAsync(_listener);
    }

    public async Task UnbindAsync()
    {
        await _listener!.UnbindAsync();
        await _accepting.Within("the accepting ends");
    }

    public async Task<Socket> ConnectAsync()
    {
        var client = new Socket(EndPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        _clients.Add(client);
        await client.ConnectAsync(EndPoint).Within("the client connects");
        return client;
    }

    /// <summary>Connects to a listening socket that is about to be lost: the client may see that as it connects.</summary>
    public async Task ConnectAndEndAsync()
    {
        try
        {
            await EndsAsync(await ConnectAsync());
        }
        catch (SocketException reset) when (reset.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The queue that it was in is gone.
        }
    }

    /// <summary>Sends one byte and receives its answer.</summary>
    public static async Task AskAsync(Socket client, byte blocks = 1)
    {
        await client.SendAsync(new[] { blocks }).Within("the client sends");
        await ReceiveAsync(client, blocks * AnswerLength);
    }

    public static async Task ReceiveAsync(Socket client, int length)
    {
        var buffer = new byte[length];
        for (var received = 0; received < length;)
        {
            var count = await client.ReceiveAsync(buffer.AsMemory(received)).Within("the answer");
            Assert.True(count > 0, $"The connection ended after {received} of {length} bytes.");
            received += count;
        }
    }

    /// <summary>Waits until the server's side has ended the connection, by whatever way.</summary>
    public static async Task EndsAsync(Socket client)
    {
        try
        {
            var buffer = new byte[AnswerLength];
            while (await client.ReceiveAsync(buffer).Within("the client gets the end") > 0)
            {
            }
        }
        catch (SocketException)
        {
            // A reset is an end, too.
        }
    }

    /// <summary>What the next connection that ends, ends with on the server.</summary>
    public Task<Exception?> NextEndAsync() => _ends.Reader.ReadAsync().Within("the server's handler ends");

    public Task AskBystanderAsync() => AskAsync(_bystander!);

    /// <summary>The connection without a fault, the listener, the loop and its thread continue.</summary>
    public async Task AssertServesAsync()
    {
        await AskBystanderAsync();
        await AskAsync(await ConnectAsync());
        Assert.True(Loop is { IsServing: true, PausedListeners: 0, BrokenListeners: 0 });
    }

    public async ValueTask DisposeAsync()
    {
        // A test that was continued on the loop's thread would keep it from ending.
        await Task.Yield();
        _clients.ForEach(static client => client.Dispose());
        if (_listener is not null)
        {
            await UnbindAsync();
            await _listener.DisposeAsync();
        }

        await Task.WhenAll(_served).Within("all handlers end");
        await Task.Yield();
        Transport.Dispose();
        Wait.Until(() => _pools[0].RentedBlocks == 0, () => $"{_pools[0].RentedBlocks} have leaked");
        _pools.Dispose();
        _scheduler.Dispose();
        Wait.Until(() => Descriptors.Count() <= _descriptors, () => $"{Descriptors.Count()}, {_descriptors} before");
    }

    private async Task AcceptAsync(IConnectionListener listener)
    {
        while (await listener.AcceptAsync() is { } connection)
        {
            _loop = ((EpollConnection)connection).Shard.Loop;
            _served.Add(ServeAsync(connection));
        }
    }

    // Stubborn: it ignores a flush that reports the end, and reads on.
    private async Task ServeAsync(ConnectionContext connection)
    {
        await using (connection)
        {
            Exception? end = null;
            try
            {
                while (await connection.Transport.Input.ReadAsync() is { Buffer.IsEmpty: false } read)
                {
                    var blocks = read.Buffer.ToArray().Sum(static it => it);
                    connection.Transport.Input.AdvanceTo(read.Buffer.End);
                    for (var block = 0; block < blocks; block++)
                    {
                        connection.Transport.Output.GetSpan(AnswerLength)[..AnswerLength].Fill(1);
                        connection.Transport.Output.Advance(AnswerLength);
                    }

                    await connection.Transport.Output.FlushAsync();
                }
            }
            catch (Exception exception) when (exception is IOException or ConnectionAbortedException)
            {
                end = exception;
            }

            _ends.Writer.TryWrite(end);
        }
    }

    /// <summary>Comes after the callback that runs when it is posted.</summary>
    private sealed class Turn : EventLoopHandler
    {
        private readonly TaskCompletionSource _taken = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Taken => _taken.Task;

        protected internal override void OnReady(EventLoopEvents events) => _taken.TrySetResult();
    }
}
