using System.Net;
using System.Net.Sockets;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class ListenerSocketsTests
{
    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);
    private static readonly SocketTuning s_tuning = new(
        [new EpollSocketOptions { Backlog = 16 }], "a test", new(fallbacks: null, "a test"));

    public ListenerSocketsTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Listen_AnyPort_AllSocketsHaveTheSame(int count)
    {
        var sockets = ListenerSockets.Listen(s_anyPort, count, s_tuning, isShared: false, out var bound);
        try
        {
            Assert.Equal(count, sockets.Length);
            Assert.NotEqual(0, bound.Port);
            Assert.All(sockets, socket =>
            {
                Assert.True(socket.GetLocalEndPoint(bound, out var own).Succeeded);
                Assert.Equal(bound, own);
            });
        }
        finally
        {
            Close(sockets);
        }
    }

    // Without care SO_REUSEPORT lets a second copy of the application in, and each gets half of the connections.
    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 4)]
    [InlineData(4, 1)]
    [InlineData(4, 4)]
    public void Listen_PortThatAGroupOfOursHas_Throws(int first, int second)
    {
        var sockets = ListenerSockets.Listen(s_anyPort, first, s_tuning, isShared: false, out var bound);
        try
        {
            AssertTaken(
                () => ListenerSockets.Listen(bound, second, s_tuning, isShared: false, out _));
        }
        finally
        {
            Close(sockets);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Listen_SharedPortThatSharersHave_BothHaveIt(int count)
    {
        var first = ListenerSockets.Listen(s_anyPort, count, s_tuning, isShared: true, out var bound);
        var second = ListenerSockets.Listen(bound, count, s_tuning, isShared: true, out var again);
        Close(first);
        Close(second);

        Assert.Equal(bound, again);
    }

    [Fact]
    public void Listen_UnsharedOnAPortThatSharersHave_Throws()
    {
        var first = ListenerSockets.Listen(s_anyPort, 2, s_tuning, isShared: true, out var bound);
        try
        {
            AssertTaken(
                () => ListenerSockets.Listen(bound, 2, s_tuning, isShared: false, out _));
        }
        finally
        {
            Close(first);
        }
    }

    [Fact]
    public void Listen_SharedPortThatAnUnsharedApplicationHas_Throws()
    {
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        other.Bind(s_anyPort);
        other.Listen();

        AssertTaken(() => ListenerSockets.Listen(
            (IPEndPoint)other.LocalEndPoint!, 2, s_tuning, isShared: true, out _));
    }

    [Fact]
    public void Listen_PortThatAnotherApplicationHas_Throws()
    {
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        other.Bind(s_anyPort);
        other.Listen();

        AssertTaken(
            () => ListenerSockets.Listen((IPEndPoint)other.LocalEndPoint!, 2, s_tuning, isShared: false, out _));
    }

    [Fact]
    public void Bind_AnotherApplicationOnAPortOfOurs_IsRefused()
    {
        var sockets = ListenerSockets.Listen(s_anyPort, 2, s_tuning, isShared: false, out var bound);
        try
        {
            using var other = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            Assert.Equal(
                SocketError.AddressAlreadyInUse,
                Assert.Throws<SocketException>(() => other.Bind(bound)).SocketErrorCode);
        }
        finally
        {
            Close(sockets);
        }
    }

    // The end point of a listener is the application's to read, and has setters.
    [Fact]
    public void Reopen_EndPointThatWasShownHasChanged_IsWhereTheLostSocketWas()
    {
        var binding = ListenerBinding.Create(s_anyPort, shards: 1, s_tuning, isShared: false);
        var shown = (IPEndPoint)binding.EndPoint;
        var bound = new IPEndPoint(shown.Address, shown.Port);
        (shown.Address, shown.Port) = (IPAddress.IPv6Loopback, 0);
        binding.Sockets[0].Dispose();

        using var socket = binding.Reopen();

        Assert.True(socket.GetLocalEndPoint(bound, out var own).Succeeded);
        Assert.Equal(bound, own);
    }

    [Fact]
    public void Listen_AddressThatIsNotOurs_SaysWhich()
    {
        var foreign = new IPEndPoint(IPAddress.Parse("192.0.2.1"), 0);

        var exception = Assert.Throws<SocketException>(
            () => ListenerSockets.Listen(foreign, 2, s_tuning, isShared: false, out _));

        Assert.Equal(SocketError.AddressNotAvailable, exception.SocketErrorCode);
        Assert.Contains("192.0.2.1", exception.Message, StringComparison.Ordinal);
    }

    private static void Close(StreamSocket[] sockets) => Array.ForEach(sockets, static socket => socket.Dispose());

    private static void AssertTaken(Action listen) =>
        Assert.Equal(SocketError.AddressAlreadyInUse, Assert.Throws<SocketException>(listen).SocketErrorCode);
}
