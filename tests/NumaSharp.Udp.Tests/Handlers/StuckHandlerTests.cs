using System.Collections.Concurrent;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Tests.Handlers;

/// <summary>
/// Handler calls that hang are detected and left behind. A datagram of 0 blocks the handler until the gate opens; all others are
/// answered at once.
/// </summary>
public sealed partial class StuckHandlerTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly LateThread _late = new();
    private readonly Gate _gate = new();
    private readonly ConcurrentQueue<StuckHandler> _made = new();
    private readonly UdpMachine _machine;
    private Gate _current;
    private NumaEventLoop? _loop;
    private int _entered;

    public StuckHandlerTests()
    {
        _current = _gate;
        _machine = new UdpMachine(new NumaUdpSocketFactoryOptions
        {
            Time = _time,
            ConfigureLoops = loops =>
            {
                _late.Configure(loops);
                loops.EndLimit = TimeSpan.FromHours(1);
            },
            EndLimit = Timeout.InfiniteTimeSpan,
        });
    }

    public void Dispose()
    {
        _gate.Dispose();
        _machine.Dispose();
    }

    [Fact]
    public void OnBatch_DoesNotReturn_TheShardContinuesWithAnotherHandler()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        Hang(client, 1);
        client.Send([7]);

        // The first look finds the call; the next ones find that it is the same.
        Check(StuckLoopMonitor.ChecksUntilStuck);
        Assert.Equal((0, 0L, true), StateOf(server));
        Check();
        Assert.Equal(7, Receive(client));
        UdpMachine.Until(server, static sum => sum.HandlersReplaced == 1);
        Assert.Equal((1, 1L, true), StateOf(server));
        Assert.Equal(2, _made.Count);
        Assert.Equal([613], Events);

        _gate.Open();
        Assert.Equal(0, Receive(client));
        UdpMachine.Until(server, static sum => sum.HandlersStuck == 0);
        Wait.Until(() => Events.SequenceEqual([613, 615]));
        for (var i = 1; i <= 50; i++)
        {
            client.Send([(byte)i]);
            Assert.Equal(i, Receive(client));
        }

        Assert.Equal((0, 1L, true), StateOf(server));
        Assert.Equal(52, UdpMachine.SumOf(server).ReceivedDatagrams);

        // The first handler is used again, because it has the application's state.
        Assert.Equal([51, 1], _made.Select(static handler => handler.Handled));
    }

    [Fact]
    public void OnBatch_Returns_IsNotLeftBehindHoweverOftenItIsLookedAt()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        for (var i = 1; i <= 3 * StuckLoopMonitor.ChecksUntilStuck; i++)
        {
            client.Send([(byte)i]);
            Assert.Equal(i, Receive(client));
            Check();
        }

        Assert.Equal((0, 0L, true), StateOf(server));
    }

    [Fact]
    public void OnBatch_AllShardsHaveHung_EveryCpuIsServed()
    {
        var server = Bind(shards: 0);

        // Where a loop has several CPUs, the shard hangs once.
        var table = new SteeringTable(_machine.Plan);
        foreach (var cpu in _machine.Plan.Cpus.DistinctBy(table.LoopOf))
        {
            TestThreads.RunOn(CpuSet.FromIds(cpu), () =>
            {
                using var client = UdpMachine.ClientOf(server);
                Hang(client, _entered + 1);
            });
        }

        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        foreach (var cpu in _machine.Plan.Cpus)
        {
            TestThreads.RunOn(CpuSet.FromIds(cpu), () =>
            {
                for (var i = 1; i <= 20; i++)
                {
                    using var client = UdpMachine.ClientOf(server);
                    client.Send([(byte)i]);
                    Assert.Equal(i, Receive(client));
                }
            });
        }

        Assert.Equal((_entered, _entered, true), StateOf(server));
    }

    [Fact]
    public void OnBatch_HungBeforeAndHasReturned_IsUsedAgain()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        for (var round = 1; round <= 3; round++)
        {
            using var gate = new Gate();
            Hang(client, round, gate);
            Check(StuckLoopMonitor.ChecksUntilStuck + 1);
            client.Send([9]);
            Assert.Equal(9, Receive(client));
            gate.Open();
            Assert.Equal(0, Receive(client));
            UdpMachine.Until(server, static sum => sum.HandlersStuck == 0);
        }

        Assert.Equal((0, 3L, true), StateOf(server));
        Assert.Equal(2, _made.Count);
    }

    [Fact]
    public void OnBatch_TooManyHang_NothingIsReceivedUntilOneReturns()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        for (var hung = 1; hung <= NumaUdpShard.MaxLeftBehind + 1; hung++)
        {
            Hang(client, hung);
            Check(StuckLoopMonitor.ChecksUntilStuck + 1);
            var replaced = Math.Min(hung, NumaUdpShard.MaxLeftBehind);
            UdpMachine.Until(server, sum => sum.HandlersReplaced == replaced);
        }

        client.Send([5]);
        Check(3);

        // Whatever the checks have posted has run by then.
        Caller.WaitFor(_loop!);
        Assert.Equal((NumaUdpShard.MaxLeftBehind + 1, NumaUdpShard.MaxLeftBehind, false), StateOf(server));
        Assert.Equal(NumaUdpShard.MaxLeftBehind + 1, _made.Count);
        Assert.Equal(0, client.Available);

        // Each once a minute.
        Assert.Equal([613, 614], Events);

        _gate.Open();
        var answers = Enumerable.Range(0, NumaUdpShard.MaxLeftBehind + 2).Select(_ => Receive(client)).ToArray();
        Assert.Equal(5, answers.Sum());
        Check();
        UdpMachine.Until(server, static sum => sum is { HandlersStuck: 0, IsServing: true });
    }

    [Fact]
    public async Task Dispose_CallsAreLeftBehind_WaitsForThem()
    {
        var server = Bind();
        using var client = UdpMachine.ClientOf(server);
        Hang(client, 1);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        client.Send([3]);
        Assert.Equal(3, Receive(client));
        var disposal = server.DisposeAsync().AsTask();
        UdpMachine.Until(server, static sum => !sum.IsServing);
        Assert.False(disposal.IsCompleted);
        _gate.Open();
        await disposal.Within();
    }

    [Fact]
    public void HandlerOf_Throws_IsTriedAgain()
    {
        var calls = 0;
        var server = _machine.Factory.Bind(
            UdpMachine.Loopback,
            _ => Interlocked.Increment(ref calls) == 2
                ? throw new InvalidOperationException("the application's own")
                : NewHandler(),
            new NumaUdpOptions { Shards = 1 });
        using var client = UdpMachine.ClientOf(server);
        Hang(client, 1);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        Wait.Until(() => _machine.Log.TextsOf(616).Count == 1);
        Assert.Contains("the application's own", _machine.Log.TextsOf(616)[0], StringComparison.Ordinal);
        Assert.Empty(_machine.Log.TextsOf(613));
        Assert.Equal((1, 0L, false), StateOf(server));
        client.Send([4]);
        Check();
        Assert.Equal(4, Receive(client));
        UdpMachine.Until(server, static sum => sum is { HandlersReplaced: 1, IsServing: true });
    }

    [Fact]
    public void OnBatch_HangsWhileDatagramsWaitForOthers_TheNextAreReceived()
    {
        var server = Bind(shards: 1, delay: TimeSpan.FromMilliseconds(100));
        using var client = UdpMachine.ClientOf(server);
        var watch = server.Shards[0].Watch;

        // Time stands still, so any two datagrams count as close.
        for (var i = 0; !watch.IsPaused; i++)
        {
            Assert.True(i < 1000, "Coalescing does not begin.");
            client.Send([1]);
            Assert.Equal(1, Receive(client));
        }

        Hang(client, 1);
        Check(StuckLoopMonitor.ChecksUntilStuck + 1);
        for (var i = 1; i <= 3; i++)
        {
            client.Send([(byte)i]);
            Assert.Equal(i, Receive(client));
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Dispose_ByAHandler_DoesNotWaitForThatHandler(bool isOfTheFactory)
    {
        NumaUdpSocket? server = null;
        var (length, isDone) = (0, new TaskCompletionSource());
        server = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                Wait.Until(() => server is not null);
                if (isOfTheFactory)
                {
                    _machine.Factory.Dispose();
                }
                else
                {
                    Wait.For(server!.DisposeAsync().AsTask());
                }

                // The batch is still valid.
                foreach (var datagram in batch)
                {
                    length += datagram.Payload.ToArray().Length;
                    batch.Reply(datagram, datagram.Payload);
                }

                isDone.SetResult();
            }),
            static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        client.Send([1, 2, 3]);
        Wait.For(isDone.Task);
        Assert.Equal(3, length);
        Wait.Until(() => _machine.Factory.Sockets.Count == 0);
    }

    // Time also passes for loops whose threads have no CPU just then: 611 and 612 say so.
    private IEnumerable<int> Events =>
        _machine.Log.Entries.Select(static entry => entry.Id).Where(static id => id is not (611 or 612));

    private static (int Stuck, long Replaced, bool IsServing) StateOf(NumaUdpSocket server)
    {
        var sum = UdpMachine.SumOf(server);
        return (sum.HandlersStuck, sum.HandlersReplaced, sum.IsServing);
    }

    private static int Receive(Socket client)
    {
        var buffer = new byte[4];
        Assert.Equal(1, client.Receive(buffer));
        return buffer[0];
    }

    private NumaUdpSocket Bind(int shards = 1, TimeSpan delay = default) => _machine.Factory.Bind(
        UdpMachine.Loopback, _ => NewHandler(), new NumaUdpOptions { Shards = shards, CoalesceDelay = delay });

    private StuckHandler NewHandler()
    {
        var handler = new StuckHandler(() => Stay(_current));
        _made.Enqueue(handler);
        return handler;
    }

    private void Hang(Socket client, int count, Gate? gate = null)
    {
        _current = gate ?? _gate;
        client.Send([0]);
        Wait.Until(() => Volatile.Read(ref _entered) == count);
    }

    // Called in the handler, or in the function that makes it. When the test continues, another thread has the loop.
    private void Stay(Gate gate)
    {
        _loop = NumaEventLoop.Current!;
        _late.LoseLoop(_loop);
        Interlocked.Increment(ref _entered);
        gate.Pass();
    }

    private void Check(int times = 1)
    {
        for (var i = 0; i < times; i++)
        {
            _time.Advance(StuckLoopMonitor.Interval);
        }
    }

    private sealed class StuckHandler(Action stay) : IDatagramHandler
    {
        private int _running;

        public int Handled { get; private set; }

        public void OnBatch(in DatagramBatch batch)
        {
            Assert.Equal(1, Interlocked.Increment(ref _running));
            foreach (var datagram in batch)
            {
                if (datagram.Payload[0] == 0)
                {
                    stay();
                }

                Handled++;
                batch.Reply(datagram, datagram.Payload);
            }

            Interlocked.Decrement(ref _running);
        }
    }
}
