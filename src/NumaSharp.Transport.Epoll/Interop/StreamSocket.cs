using System.Net;
using System.Net.Sockets;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>
/// Owns a non-blocking stream socket. Calls are made with the bare descriptor for speed: whoever shares the socket between
/// threads keeps calls and <see cref="IDisposable.Dispose"/> apart with a lock.
/// </summary>
internal sealed unsafe class StreamSocket : FileDescriptorHandle
{
    // sizeof(struct sockaddr_storage)
    private const int MaxAddressLength = 128;

    private StreamSocket(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(AddressFamily family, out StreamSocket? socket)
    {
        var domain = family switch
        {
            AddressFamily.Unix => Native.AF_UNIX,
            AddressFamily.InterNetworkV6 => Native.AF_INET6,
            _ => Native.AF_INET,
        };
        var result = SysResult.FromReturn(
            Native.Socket(domain, Native.SOCK_STREAM | Native.SOCK_NONBLOCK | Native.SOCK_CLOEXEC, 0));
        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        return result;
    }

    /// <summary>
    /// Makes a descriptor of its own for a socket that somebody else has opened, and keeps its own. The socket becomes
    /// non-blocking, which the two share.
    /// </summary>
    public static SysResult Duplicate(int descriptor, out StreamSocket? socket)
    {
        socket = null;
        var flags = SysResult.FromReturn(Native.FileControl(descriptor, Native.F_GETFL, 0));
        if (!flags.Succeeded)
        {
            return flags;
        }

        var set = SysResult.FromReturn(
            Native.FileControl(descriptor, Native.F_SETFL, (int)flags.Value | Native.O_NONBLOCK));
        if (!set.Succeeded)
        {
            return set;
        }

        var result = SysResult.FromReturn(Native.FileControl(descriptor, Native.F_DUPFD_CLOEXEC, 0));
        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        return result;
    }

    public SysResult Bind(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            return SysResult.FromReturn(Native.Bind(Number, bytes, address.Size));
        }
    }

    /// <summary>Begins to connect; EINPROGRESS says that it goes on, and that the socket becomes writable at its end.</summary>
    public SysResult Connect(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            var result = SysResult.FromReturn(Native.Connect(Number, bytes, address.Size));

            // connect(2): interrupted by a signal, it goes on as well.
            return result.IsInterrupted ? SysResult.FromErrno(Errno.EINPROGRESS) : result;
        }
    }

    public SysResult Listen(int backlog) => SysResult.FromReturn(Native.Listen(Number, backlog));

    /// <summary>Accepts a connection (accept4(2)).</summary>
    /// <param name="listening">An end point of the listening address family; it decodes the peer's address.</param>
    /// <param name="socket">The connection's socket, or <see langword="null"/>.</param>
    /// <param name="remote">The peer's address, or <see langword="null"/>.</param>
    public SysResult Accept(EndPoint listening, out StreamSocket? socket, out EndPoint? remote)
    {
        var bytes = stackalloc byte[MaxAddressLength];
        int length;
        SysResult result;
        do
        {
            length = MaxAddressLength;
            result = SysResult.FromReturn(
                Native.Accept(Number, bytes, &length, Native.SOCK_NONBLOCK | Native.SOCK_CLOEXEC));
        }
        while (result.IsInterrupted);

        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        remote = result.Succeeded ? Decode(listening, bytes, length) : null;
        return result;
    }

    public SysResult GetLocalEndPoint(EndPoint family, out EndPoint? endPoint)
    {
        var bytes = stackalloc byte[MaxAddressLength];
        var length = MaxAddressLength;
        var result = SysResult.FromReturn(Native.GetSocketName(Number, bytes, &length));
        endPoint = result.Succeeded ? Decode(family, bytes, length) : null;
        return result;
    }

    public SysResult SetOption(int level, int name, int value) =>
        SysResult.FromReturn(Native.SetSocketOption(Number, level, name, &value, sizeof(int)));

    /// <summary>
    /// Has a program choose among all listening sockets of the port, in the order in which they began to listen; with any other
    /// answer than a socket's number the kernel chooses (SO_ATTACH_REUSEPORT_CBPF, socket(7)).
    /// </summary>
    public SysResult SteerBy(ReadOnlySpan<SocketFilter> instructions)
    {
        fixed (SocketFilter* first = instructions)
        {
            var program = new SocketFilterProgram { Length = (ushort)instructions.Length, Instructions = first };
            return instructions.Length > ushort.MaxValue
                ? SysResult.FromErrno(Errno.EINVAL)
                : SysResult.FromReturn(Native.SetSocketOption(
                    Number, Native.SOL_SOCKET, Native.SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(SocketFilterProgram)));
        }
    }

    /// <summary>The CPU that received the connection's last packet (SO_INCOMING_CPU); -1 when the kernel cannot tell.</summary>
    public int GetIncomingCpu() =>
        GetOption(Native.SOL_SOCKET, Native.SO_INCOMING_CPU, out var cpu).Succeeded ? cpu : -1;

    public SysResult GetOption(int level, int name, out int value) => GetOption(Number, level, name, out value);

    /// <summary>Reads an option of a descriptor that may be anything.</summary>
    public static SysResult GetOption(int descriptor, int level, int name, out int value)
    {
        int read = 0;
        var length = sizeof(int);
        var result = SysResult.FromReturn(Native.GetSocketOption(descriptor, level, name, &read, &length));
        value = read;
        return result;
    }

    /// <summary>Takes the error that is pending on the socket (SO_ERROR), if any.</summary>
    public SysResult TakeError()
    {
        var result = GetOption(Native.SOL_SOCKET, Native.SO_ERROR, out var error);
        return result.Succeeded && error != 0 ? SysResult.FromErrno(error) : result;
    }

    /// <summary>Makes the close that follows a reset (RST) rather than an orderly end.</summary>
    public SysResult SetResetOnClose()
    {
        var linger = new Linger { IsOn = 1, Seconds = 0 };
        return SysResult.FromReturn(
            Native.SetSocketOption(Number, Native.SOL_SOCKET, Native.SO_LINGER, &linger, sizeof(Linger)));
    }

    public SysResult ShutdownSend() => SysResult.FromReturn(Native.Shutdown(Number, Native.SHUT_WR));

    public SysResult Receive(byte* buffer, int length)
    {
        SysResult result;
        do
        {
            result = SysResult.FromReturn(Native.Receive(Number, buffer, (nuint)length, Native.MSG_DONTWAIT));
        }
        while (result.IsInterrupted);

        return result;
    }

    /// <summary>Sends one or more pieces with one call.</summary>
    public SysResult Send(ReadOnlySpan<IoVector> pieces)
    {
        SysResult result;
        fixed (IoVector* vectors = pieces)
        {
            var message = new MessageHeader { Vectors = vectors, VectorCount = (nuint)pieces.Length };
            do
            {
                const int Flags = Native.MSG_DONTWAIT | Native.MSG_NOSIGNAL;
                result = SysResult.FromReturn(
                    pieces.Length == 1
                        ? Native.Send(Number, vectors->Base, vectors->Length, Flags)
                        : Native.SendMessage(Number, &message, Flags));
            }
            while (result.IsInterrupted);
        }

        return result;
    }

    private static EndPoint Decode(EndPoint family, byte* bytes, int length)
    {
        var address = new SocketAddress(family.AddressFamily, length);
        new ReadOnlySpan<byte>(bytes, length).CopyTo(address.Buffer.Span);
        return family.Create(address);
    }
}
