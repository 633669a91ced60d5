using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit.Tests;

public sealed class BoundPortTests
{
    [Fact]
    public void ForServers_OneAfterAnother_EachListensAndConnectionsAreRefusedInBetween()
    {
        using var port = BoundPort.ForServers();
        for (var i = 0; i < 2; i++)
        {
            Assert.Equal(SocketError.ConnectionRefused, Connect(port.EndPoint));
            using var server = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            server.Bind(port.EndPoint);
            server.Listen();
            Assert.Equal(SocketError.Success, Connect(port.EndPoint));
        }
    }

    [Fact]
    public void Pair_ProgramBindsBoth_GetsWhatIsSentThere()
    {
        using var pair = new BoundPortPair();
        using var server = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        server.Bind(pair.EndPoint);
        server.Listen();
        Assert.Equal(SocketError.Success, Connect(pair.EndPoint));

        using var datagrams = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        datagrams.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
        var refusal = Assert.Throws<SocketException>(() => datagrams.Bind(pair.EndPoint));
        Assert.Equal(SocketError.AddressAlreadyInUse, refusal.SocketErrorCode);
        BoundPortPair.ReuseAddress(datagrams);
        datagrams.Bind(pair.EndPoint);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.Connect(pair.EndPoint);
        client.Send(new byte[3]);
        Assert.Equal(3, datagrams.Receive(new byte[8]));
    }

    private static SocketError Connect(IPEndPoint endPoint)
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            client.Connect(endPoint);
            return SocketError.Success;
        }
        catch (SocketException exception)
        {
            return exception.SocketErrorCode;
        }
    }
}
