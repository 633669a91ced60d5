using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.Udp.Tests.Handlers;

public sealed partial class TroubleTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void OnBatch_Throws_IsReportedOnceAndTheNextIsServed()
    {
        var server = _machine.Bind(new LambdaHandler((in DatagramBatch batch) =>
        {
            foreach (var datagram in batch)
            {
                if (datagram.Payload[0] == 0)
                {
                    throw new InvalidOperationException("the handler's own");
                }

                batch.Echo(datagram);
            }
        }));
        using var client = UdpMachine.ClientOf(server);
        for (var i = 0; i < 5; i++)
        {
            var failures = i + 1;
            client.Send([0]);
            UdpMachine.Until(server, sum => sum.HandlerFailures == failures);
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        Wait.Until(() => _machine.Log.Entries.Count > 0);
        var (id, text) = Assert.Single(_machine.Log.Entries);
        Assert.Equal(601, id);
        Assert.Contains("the handler's own", text, StringComparison.Ordinal);
    }

    [Fact]
    public void OnBatch_Blocks_OtherSocketsOfTheLoopContinueAndNothingIsHandledTwice()
    {
        using var release = new ManualResetEvent(initialState: false);
        var running = 0;
        var handled = 0;
        var blocking = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                Assert.Equal(1, Interlocked.Increment(ref running));
                Wait.For(release);
                Interlocked.Add(ref handled, batch.Count);
                Interlocked.Decrement(ref running);
            }),
            static options => options.Shards = 1);
        var others = Enumerable.Range(0, 4).Select(_ => _machine.Bind(new EchoHandler(), static o => o.Shards = 1)).ToArray();
        using var toBlocking = UdpMachine.ClientOf(blocking);
        for (var i = 0; i < 50; i++)
        {
            toBlocking.Send([1]);
        }

        // The handler has the loop's thread, and another one has the loop.
        Wait.Until(() => Volatile.Read(ref running) == 1);

        foreach (var other in others)
        {
            using var client = UdpMachine.ClientOf(other);
            client.Send([1, 2]);
            Assert.Equal(2, client.Receive(new byte[4]));
        }

        release.Set();
        Wait.Until(() => Volatile.Read(ref handled) == 50, () => $"{handled}; {UdpMachine.SumOf(blocking)}");
        var sum = UdpMachine.SumOf(blocking);
        Assert.Equal((50, 0), (sum.ReceivedDatagrams, sum.HandlerFailures));
    }

    [Fact]
    public void SetStallThreshold_HandlerBlocks_OtherSocketsOfTheLoopContinue()
    {
        // By this one they would wait longer than their clients do.
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions { StallThreshold = TimeSpan.FromSeconds(10) });
        using var entered = new ManualResetEvent(initialState: false);
        using var release = new ManualResetEvent(initialState: false);
        var blocking = machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                entered.Set();
                Wait.For(release);
            }),
            static options => options.Shards = 1);
        var others = Enumerable.Range(0, 4).Select(_ => machine.Bind(new EchoHandler(), static o => o.Shards = 1)).ToArray();
        using var toBlocking = UdpMachine.ClientOf(blocking);
        toBlocking.Send([1]);
        Wait.For(entered);
        machine.Factory.SetStallThreshold(TimeSpan.FromMilliseconds(1));
        foreach (var other in others)
        {
            using var client = UdpMachine.ClientOf(other);
            client.Send([1, 2]);
            Assert.Equal(2, client.Receive(new byte[4]));
        }

        release.Set();
    }

    [Fact]
    public void SetStallThreshold_OutsideItsRangeOrWithoutAWatchdog_Throws()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _machine.Factory.SetStallThreshold(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => _machine.Factory.SetStallThreshold(TimeSpan.FromSeconds(11)));
        using var unwatched = new UdpMachine(new NumaUdpSocketFactoryOptions { StallThreshold = TimeSpan.Zero });
        Assert.Throws<InvalidOperationException>(() => unwatched.Factory.SetStallThreshold(TimeSpan.FromMilliseconds(1)));
    }

    [Fact]
    public async Task Dispose_HandlerBlocks_ClosesTheSocketAndWaitsForIt()
    {
        using var release = new ManualResetEvent(initialState: false);
        using var entered = new ManualResetEvent(initialState: false);

        // Otherwise it waits for some seconds only.
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions { EndLimit = Timeout.InfiniteTimeSpan });
        var server = machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                entered.Set();
                Wait.For(release);
            }),
            static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        client.Send([1]);
        Wait.For(entered);
        client.Send([2]);
        var disposal = server.DisposeAsync().AsTask();
        UdpMachine.Until(server, static sum => !sum.IsServing);
        Assert.False(disposal.IsCompleted);
        release.Set();
        await disposal.Within();

        // The datagram that was not received is counted.
        Assert.Equal(1, UdpMachine.SumOf(server).BuffersDropped);
    }

    [Fact]
    public async Task Dispose_TheHostsTimeIsOver_DoesNotWaitForTheHandler()
    {
        using var gate = new Gate();
        using var entered = new ManualResetEvent(initialState: false);
        var stop = new StopLimit(TimeProvider.System);
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions
        {
            EndLimit = Timeout.InfiniteTimeSpan,
            StopLimit = stop,
            ConfigureLoops = static loops => loops.EndLimit = Timeout.InfiniteTimeSpan,
        });
        var server = machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                entered.Set();
                gate.Pass();
            }),
            static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        client.Send([1]);
        Wait.For(entered);
        stop.Begin(TimeSpan.Zero);

        await server.DisposeAsync().AsTask().Within();
        await Task.Factory.StartNew(machine.Factory.Dispose, TaskCreationOptions.LongRunning).Within();

        Assert.False(gate.IsOpen);
    }

    [Fact]
    public async Task Connected_PeerIsNotThere_IsAnEventAndNotTheEnd()
    {
        using var answering = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        answering.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
        answering.Bind(UdpMachine.Loopback);
        var remote = (IPEndPoint)answering.LocalEndPoint!;

        // A connected socket receives from its peer only. This peer is itself: to others the port is closed, and no other process
        // can have it.
        answering.Connect(remote);
        var handler = new LambdaHandler(static (in DatagramBatch _) => { });
        var ours = _machine.Factory.Connect(remote, handler);
        Assert.Equal(remote, ours.RemoteEndPoint);
        using var batch = _machine.NewBatch();
        Assert.True(batch.TryAdd([], [1]));
        for (var errors = 1; errors <= 10; errors++)
        {
            Assert.Equal(1, await ours.Shards[0].SendAsync(batch));
            var expected = errors;
            UdpMachine.Until(ours, sum => sum.PeerErrors >= expected);
        }

        Assert.All(handler.Errors, static error => Assert.Equal(SocketError.ConnectionRefused, error));

        // It comes back, and is served by the same socket.
        answering.Connect(new IPEndPoint(IPAddress.Loopback, ours.LocalEndPoint.Port));
        Assert.Equal(1, await ours.Shards[0].SendAsync(batch));
        Assert.Equal(1, answering.Receive(new byte[4]));
        Assert.True(UdpMachine.SumOf(ours).IsServing);
    }

    [Fact]
    public async Task Dispose_PeersErrorIsPending_CountsWhatIsQueued()
    {
        using var peer = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        peer.Bind(UdpMachine.Loopback);
        var ours = _machine.Factory.Connect((IPEndPoint)peer.LocalEndPoint!);
        var endPoint = new IPEndPoint(IPAddress.Loopback, ours.LocalEndPoint.Port);
        var queue = new ReceiveQueue(endPoint, size: 1);
        for (var i = 1; i <= 3; i++)
        {
            peer.SendTo([1], endPoint);
            queue.WaitFor(i);
        }

        // From now on it receives from itself only: to others its port is closed, and no other process can have it.
        peer.Connect(peer.LocalEndPoint!);
        using var batch = _machine.NewBatch();
        Assert.True(batch.TryAdd([], [1]));

        // A send that meets the error of the one before is repeated, and causes the next one.
        await Wait.UntilAsync(async () =>
        {
            await ours.Shards[0].SendAsync(batch);
            return UdpMachine.SumOf(ours).PeerErrors > 0;
        });
        await ours.DisposeAsync();
        Assert.Equal(3, UdpMachine.SumOf(ours).BuffersDropped);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Socket_ClosedByOtherCode_IsReopened(int shards)
    {
        var time = new ManualTime();
        using var machine = new UdpMachine(new NumaUdpSocketFactoryOptions { Time = time });
        var server = machine.Bind(new EchoHandler(), options => options.Shards = shards);
        int[] descriptors = [];

        // The kernel may leave a socket out when others go between two reads of its table.
        Wait.Until(() => (descriptors = [.. DescriptorsOf(server.LocalEndPoint.Port)]).Length == shards);
        Assert.Equal(0, Close(descriptors[0]));

        // No event reports it. The check that a shard makes every second does.
        time.Advance(TimeSpan.FromSeconds(1));
        UdpMachine.Until(server, static sum => sum.Restarts == 1);
        for (var i = 0; i < 20; i++)
        {
            using var client = UdpMachine.ClientOf(server);
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        Assert.Equal([602], machine.Log.Entries.Select(static entry => entry.Id));
        Assert.True(UdpMachine.SumOf(server).IsServing);
    }

    [Fact]
    public void Bind_PortIsTaken_SaysSoAndLeavesNothing()
    {
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(UdpMachine.Loopback);
        var taken = (IPEndPoint)other.LocalEndPoint!;
        var exception = Assert.Throws<SocketException>(() => _machine.Bind(endPoint: taken));
        Assert.Equal(SocketError.AddressAlreadyInUse, exception.SocketErrorCode);
        Assert.Equal($"bind for {taken} failed: EADDRINUSE.", exception.Message);

        // Also our own, which share it only among themselves.
        var ours = _machine.Bind();
        Assert.Throws<SocketException>(() => _machine.Bind(endPoint: ours.LocalEndPoint));
        Assert.Single(_machine.Factory.Sockets);
    }

    [Fact]
    public void SharePort_TwoOfThem_ShareThePeers()
    {
        var first = _machine.Bind(new EchoHandler(), static options => options.SharePort = true);
        var second = _machine.Bind(new EchoHandler(), static options => options.SharePort = true, first.LocalEndPoint);
        for (var i = 0; i < 200; i++)
        {
            using var client = UdpMachine.ClientOf(first);
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        Assert.InRange(UdpMachine.SumOf(first).ReceivedDatagrams, 20, 180);
        Assert.Equal(200, UdpMachine.SumOf(first).ReceivedDatagrams + UdpMachine.SumOf(second).ReceivedDatagrams);
    }

    // Of this process, by what /proc says of the port.
    private static IEnumerable<int> DescriptorsOf(int port)
    {
        var inodes = SocketTable.DatagramInodes(port).Select(static inode => $"socket:[{inode}]").ToHashSet();
        return Directory.EnumerateFiles("/proc/self/fd")
            .Where(file => inodes.Contains(TargetOf(file)))
            .Select(static file => int.Parse(Path.GetFileName(file), null));
    }

    // A descriptor that other code has just closed has no target.
    private static string TargetOf(string file)
    {
        try
        {
            return File.ResolveLinkTarget(file, false)?.Name ?? "";
        }
        catch (FileNotFoundException)
        {
            return "";
        }
    }

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int fd);
}
