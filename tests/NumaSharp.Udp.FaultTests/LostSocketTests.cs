using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.FaultTests;

/// <summary>
/// A socket whose descriptor other code has closed, before the shard notices: another socket of the process has the number.
/// </summary>
public sealed partial class LostSocketTests : IDisposable
{
    private const int LoopbackInterface = 1;

    private static readonly IPAddress s_group = IPAddress.Parse("239.1.2.3");

    private readonly ManualTime _time = new();
    private readonly UdpMachine _machine;
    private readonly Socket _other = NewSocket();
    private readonly Socket _client = NewSocket();
    private int _descriptor = -1;

    public LostSocketTests() => _machine = new UdpMachine(new NumaUdpSocketFactoryOptions { Time = _time });

    public void Dispose()
    {
        _machine.Dispose();
        _other.Dispose();
        _client.Dispose();
        if (_descriptor >= 0)
        {
            Assert.Equal(0, Close(_descriptor));
        }
    }

    [Fact]
    public async Task Stop_OfALostSocket_LeavesTheOtherOneAlone()
    {
        var server = Bind();
        Lose(Fault.LastDescriptorOf("setsockopt"));
        _client.SendTo([1], _other.LocalEndPoint!);
        await server.StopAsync().Within();
        _client.SendTo([2, 2], _other.LocalEndPoint!);
        Assert.Equal(1, _other.Receive(new byte[4]));
        Assert.Equal(2, _other.Receive(new byte[4]));
        await server.DisposeAsync().Within();
        Assert.Equal(0, UdpMachine.SumOf(server).ReceivedDatagrams);
    }

    [Fact]
    public void GetStatistics_OfALostSocket_DoNotHaveTheDropsOfTheOtherOne()
    {
        _other.ReceiveBufferSize = 4096;
        Wait.Until(() =>
        {
            _client.SendTo(new byte[1000], _other.LocalEndPoint!);
            return SocketTable.DatagramsDropped((IPEndPoint)_other.LocalEndPoint!) > 0;
        });
        var server = Bind();
        Lose(Fault.LastDescriptorOf("setsockopt"));
        Assert.Equal(0, UdpMachine.SumOf(server).BuffersDropped);
        _time.Advance(TimeSpan.FromSeconds(1));
        UdpMachine.Until(server, static sum => sum is { Restarts: 1, IsServing: true });
        Assert.Equal(0, UdpMachine.SumOf(server).BuffersDropped);
    }

    [Fact]
    public void JoinGroup_OnALostSocket_JoinsWithItsReplacement()
    {
        var server = Bind();
        Lose(Fault.LastDescriptorOf("setsockopt"));
        server.JoinGroup(s_group, LoopbackInterface);
        Assert.Equal(1, UdpMachine.SumOf(server).Restarts);
        Assert.Throws<SocketException>(() => _other.SetSocketOption(
            SocketOptionLevel.IP, SocketOptionName.DropMembership, new MulticastOption(s_group, LoopbackInterface)));
        server.LeaveGroup(s_group, LoopbackInterface);
    }

    [Fact]
    public void LeaveGroup_OnALostSocket_IsNotJoinedAgain()
    {
        var server = Bind();
        server.JoinGroup(s_group, LoopbackInterface);
        Lose(Fault.LastDescriptorOf("setsockopt"));
        server.LeaveGroup(s_group, LoopbackInterface);
        Assert.Equal(1, UdpMachine.SumOf(server).Restarts);
        Assert.Throws<SocketException>(() => server.LeaveGroup(s_group, LoopbackInterface));
    }

    // The interface is in the address, is an argument, or is any.
    [Theory]
    [InlineData("ff11::1234%1", 0, "ff11::1234", 1)]
    [InlineData("ff11::1234%1", 1, "ff11::1234", 1)]
    [InlineData("ff11::1234", 1, "ff11::1234%1", 0)]
    [InlineData("ff11::1234", 1, "ff11::1234", 0)]
    public void LeaveGroup_NamedInAnotherWay_IsNotJoinedAgain(string joined, int joinedOn, string left, int leftOn)
    {
        IPv6.SkipUnlessThere();
        var server = _machine.Bind(
            LambdaHandler.Ignoring, static options => options.Shards = 1, new IPEndPoint(IPAddress.IPv6Any, 0));
        server.JoinGroup(IPAddress.Parse(joined), joinedOn);
        server.LeaveGroup(IPAddress.Parse(left), leftOn);
        Lose(Fault.LastDescriptorOf("setsockopt"));
        _time.Advance(TimeSpan.FromSeconds(1));
        UdpMachine.Until(server, static sum => sum is { Restarts: 1, IsServing: true });
        Assert.Throws<SocketException>(() => server.LeaveGroup(IPAddress.Parse("ff11::1234"), LoopbackInterface));
    }

    [Fact]
    public async Task Restart_EndPointsWereChanged_OpensTheSameSocket()
    {
        var remote = new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)_client.LocalEndPoint!).Port);
        var socket = _machine.Factory.Connect(remote);
        var port = socket.LocalEndPoint.Port;
        Lose(Fault.LastDescriptorOf("setsockopt"));
        remote.Port = socket.RemoteEndPoint!.Port = socket.LocalEndPoint.Port = 1;
        _time.Advance(TimeSpan.FromSeconds(1));
        UdpMachine.Until(socket, static sum => sum is { Restarts: 1, IsServing: true });
        using var batch = _machine.NewBatch();
        Assert.True(batch.TryAdd([], [1, 2, 3]));
        Assert.Equal(1, await socket.Shards[0].SendAsync(batch));
        EndPoint from = new IPEndPoint(IPAddress.Any, 0);
        Assert.Equal(3, _client.ReceiveFrom(new byte[8], ref from));
        Assert.Equal(new IPEndPoint(IPAddress.Loopback, port), from);
    }

    [Fact]
    public void Restart_Fails_TheOtherShardsAreSteeredByTheirNewNumbers()
    {
        _machine.Bind(LambdaHandler.Ignoring, static options => options.Shards = 3);

        // The first shard's: the program was attached to it last.
        Lose(Fault.LastDescriptorOf("setsockopt"));
        using var refused = new Fault("socket", Errno.EMFILE, times: int.MaxValue);
        using var steered = new Fault("setsockopt", errno: 0, SocketCalls.SO_ATTACH_REUSEPORT_CBPF);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(refused.Failed > 0);
        Assert.True(steered.WasMet);
    }

    [Fact]
    public void Restart_DatagramComesBeforeItsEnd_IsHandled()
    {
        var server = _machine.Bind(new EchoHandler(), static options => options.Shards = 1);
        var descriptor = Fault.LastDescriptorOf("setsockopt");
        using var client = UdpMachine.ClientOf(server);
        using var beside = UdpMachine.ClientOf(BindBeside(server));
        var queue = new ReceiveQueue(server.LocalEndPoint, size: 1);
        Lose(descriptor);

        // The lost socket is asked for its cookie twice, then the new one. What comes before the other socket's datagram has
        // been an event when that one's answer is here.
        using var opened = new Fault("getsockopt", errno: 0, SocketCalls.SO_COOKIE, skip: 2, onCall: () =>
        {
            client.Send([1]);
            queue.WaitFor(1);
            beside.Send([1]);
            beside.Receive(new byte[4]);
        });
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(opened.WasMet);
        Assert.Equal(1, client.Receive(new byte[4]));
    }

    private static Socket NewSocket()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds,
        };
        socket.Bind(UdpMachine.Loopback);
        return socket;
    }

    private NumaUdpSocket Bind() => _machine.Bind(
        LambdaHandler.Ignoring, static options => options.Shards = 1, new IPEndPoint(IPAddress.Any, 0));

    // On the same loop.
    private NumaUdpSocket BindBeside(NumaUdpSocket server)
    {
        while (true)
        {
            var socket = _machine.Bind(new EchoHandler(), static options => options.Shards = 1);
            if (socket.Shards[0].LoopIndex == server.Shards[0].LoopIndex)
            {
                return socket;
            }
        }
    }

    private void Lose(int descriptor)
    {
        _descriptor = descriptor;
        Assert.Equal(descriptor, Duplicate((int)_other.SafeHandle.DangerousGetHandle(), descriptor));
    }

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int fd);

    [LibraryImport("libc", EntryPoint = "dup2")]
    private static partial int Duplicate(int from, int to);
}
