using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

/// <summary>What is refused, and that the error names the descriptor and the reason.</summary>
public sealed class InheritedListenerSocketTests
{
    private static readonly SocketTuning s_tuning = new([new EpollSocketOptions()], "a test", new(fallbacks: null, "a test"));

    public InheritedListenerSocketTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Fact]
    public void Open_DatagramSocket_Refused()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

        ExpectRefused(socket, SocketError.OperationNotSupported, "it is not a stream socket (SO_TYPE is 2, SOCK_STREAM is 1)");
    }

    [Fact]
    public void Open_BoundSocketThatDoesNotListenYet_Listens()
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var handle = new FileHandleEndPoint((ulong)owner.SafeHandle.DangerousGetHandle(), FileHandleType.Auto);
        using var socket = InheritedListenerSocket.Open(handle, s_tuning, out var bound);
        Assert.Equal(owner.LocalEndPoint, bound);

        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(bound);
    }

    // Its addresses could not be decoded.
    [Fact]
    public void Reopen_SocketOfAnotherFamily_Refused()
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var handle = new FileHandleEndPoint((ulong)owner.SafeHandle.DangerousGetHandle(), FileHandleType.Auto);
        using var same = InheritedListenerSocket.Reopen(handle, AddressFamily.InterNetwork, s_tuning);

        var exception = Assert.Throws<SocketException>(
            () => InheritedListenerSocket.Reopen(handle, AddressFamily.Unix, s_tuning));
        Assert.Equal(SocketError.AddressFamilyNotSupported, exception.SocketErrorCode);
        Assert.Contains("its address family was Unix, and is InterNetwork now", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_ConnectedSocket_Refused()
    {
        using var listening = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listening.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listening.Listen();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(listening.LocalEndPoint!);

        var handle = new FileHandleEndPoint((ulong)socket.SafeHandle.DangerousGetHandle(), FileHandleType.Auto);

        var exception = Assert.Throws<SocketException>(() => InheritedListenerSocket.Open(handle, s_tuning, out _));
        Assert.Equal(SocketError.InvalidArgument, exception.SocketErrorCode);
        Assert.Contains($"listen for file descriptor {handle.FileHandle}", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_File_Refused()
    {
        using var file = File.OpenHandle(typeof(InheritedListenerSocketTests).Assembly.Location);

        ExpectRefused((ulong)file.DangerousGetHandle(), SocketError.NotSocket, "it is not a socket (ENOTSOCK)");
    }

    // No process has that many.
    [Fact]
    public void Open_DescriptorThatIsNotOpen_Refused() =>
        ExpectRefused(int.MaxValue, SocketError.NotSocket, "it is not open (EBADF)");

    [Fact]
    public void Open_NumberThatIsNone_Refused() =>
        ExpectRefused(ulong.MaxValue, SocketError.NotSocket, "it is not a descriptor number");

    [Fact]
    public void Open_Listening_HasTheBacklogAndIsADescriptorOfItsOwn()
    {
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owner.Listen();
        var number = (ulong)owner.SafeHandle.DangerousGetHandle();
        var handle = new FileHandleEndPoint(number, FileHandleType.Auto);
        using (var socket = InheritedListenerSocket.Open(handle, s_tuning, out var bound))
        {
            Assert.Equal(owner.LocalEndPoint, bound);
            Assert.NotEqual(number, (ulong)socket.Number);
            Assert.True(socket.Accept(bound, out _, out _).IsAgain);
        }

        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(owner.LocalEndPoint!);
    }

    private static void ExpectRefused(Socket socket, SocketError error, string reason) =>
        ExpectRefused((ulong)socket.SafeHandle.DangerousGetHandle(), error, reason);

    private static void ExpectRefused(ulong descriptor, SocketError error, string reason)
    {
        var exception = Assert.Throws<SocketException>(
            () => InheritedListenerSocket.Open(new FileHandleEndPoint(descriptor, FileHandleType.Auto), s_tuning, out _));

        Assert.Equal(error, exception.SocketErrorCode);
        Assert.Equal($"File descriptor {descriptor} cannot be served: {reason}.", exception.Message);
    }
}
