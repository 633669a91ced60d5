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

    private const int SendFlags = Native.MSG_DONTWAIT | Native.MSG_NOSIGNAL;

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
        var result = SystemCallFaults.Hit("socket", -1, domain, out var fault)
            ? fault
            : SysResult.FromReturn(
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
        var flags = Control(descriptor, Native.F_GETFL, 0);
        if (!flags.Succeeded)
        {
            return flags;
        }

        var set = Control(descriptor, Native.F_SETFL, (int)flags.Value | Native.O_NONBLOCK);
        if (!set.Succeeded)
        {
            return set;
        }

        var result = Control(descriptor, Native.F_DUPFD_CLOEXEC, 0);
        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        return result;
    }

    public SysResult Bind(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            return SystemCallFaults.Hit("bind", Number, out var fault)
                ? fault
                : SysResult.FromReturn(Native.Bind(Number, bytes, address.Size));
        }
    }

    /// <summary>Begins to connect; EINPROGRESS says that it goes on, and that the socket becomes writable at its end.</summary>
    public SysResult Connect(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            var result = SysResult.FromReturn(Native.Connect(Number, bytes, address.Size));
            if (SystemCallFaults.Hit("connect", Number, out var fault))
            {
                result = fault;
            }

            // connect(2): interrupted by a signal, it goes on as well.
            return result.IsInterrupted ? SysResult.FromErrno(Errno.EINPROGRESS) : result;
        }
    }

    public SysResult Listen(int backlog) =>
        SystemCallFaults.Hit("listen", Number, out var fault) ? fault : SysResult.FromReturn(Native.Listen(Number, backlog));

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
            result = SystemCallFaults.Hit("accept4", Number, out var fault)
                ? fault
                : SysResult.FromReturn(
                    Native.Accept(Number, bytes, &length, Native.SOCK_NONBLOCK | Native.SOCK_CLOEXEC));
        }
        while (result.IsInterrupted);

        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        remote = result.Succeeded ? Decode(listening, new ReadOnlySpan<byte>(bytes, length)) : null;
        return result;
    }

    public SysResult GetLocalEndPoint(EndPoint family, out EndPoint? endPoint) =>
        GetLocalEndPoint(new LocalEndPoints(family), out endPoint);

    public SysResult GetLocalEndPoint(LocalEndPoints known, out EndPoint? endPoint)
    {
        var bytes = stackalloc byte[MaxAddressLength];
        var length = MaxAddressLength;
        var result = SystemCallFaults.Hit("getsockname", Number, out var fault)
            ? fault
            : SysResult.FromReturn(Native.GetSocketName(Number, bytes, &length));
        endPoint = result.Succeeded ? known.Decode(new ReadOnlySpan<byte>(bytes, length)) : null;
        return result;
    }

    public SysResult SetOption(int level, int name, int value) => SetOption(level, name, &value, sizeof(int));

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
                : SetOption(
                    Native.SOL_SOCKET, Native.SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(SocketFilterProgram));
        }
    }

    /// <summary>The CPU that received the connection's last packet (SO_INCOMING_CPU); -1 when the kernel cannot tell.</summary>
    public int GetIncomingCpu() =>
        GetOption(Native.SOL_SOCKET, Native.SO_INCOMING_CPU, out var cpu).Succeeded ? cpu : -1;

    /// <summary>
    /// What tells this socket from every other one, whatever descriptor it has (SO_COOKIE); 0 when the descriptor is no socket.
    /// </summary>
    public ulong GetCookie()
    {
        ulong cookie = 0;
        var length = sizeof(ulong);
        var result = SystemCallFaults.Hit("getsockopt", Number, Native.SO_COOKIE, out var fault)
            ? fault
            : SysResult.FromReturn(
                Native.GetSocketOption(Number, Native.SOL_SOCKET, Native.SO_COOKIE, &cookie, &length));
        return result.Succeeded ? cookie : 0;
    }

    public SysResult GetOption(int level, int name, out int value) => GetOption(Number, level, name, out value);

    /// <summary>Reads an option of a descriptor that may be anything.</summary>
    public static SysResult GetOption(int descriptor, int level, int name, out int value)
    {
        int read = 0;
        var length = sizeof(int);
        var result = SystemCallFaults.Hit("getsockopt", descriptor, name, out var fault)
            ? fault
            : SysResult.FromReturn(Native.GetSocketOption(descriptor, level, name, &read, &length));
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
        return SetOption(Native.SOL_SOCKET, Native.SO_LINGER, &linger, sizeof(Linger));
    }

    public SysResult ShutdownSend() => Shutdown(Native.SHUT_WR);

    /// <summary>Ends both directions: whoever receives meets the end, after what has come before it.</summary>
    public SysResult ShutdownBoth() => Shutdown(Native.SHUT_RDWR);

    public SysResult Receive(byte* buffer, int length)
    {
        SysResult result;
        do
        {
            result = SystemCallFaults.Hit("recv", Number, out var fault)
                ? fault
                : SysResult.FromReturn(Native.Receive(Number, buffer, (nuint)length, Native.MSG_DONTWAIT));
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
            do
            {
                result = pieces.Length == 1 ? SendOne(vectors) : SendAll(vectors, pieces.Length);
            }
            while (result.IsInterrupted);
        }

        return result;
    }

    private SysResult SendOne(IoVector* piece) =>
        SystemCallFaults.Hit("send", Number, out var fault)
            ? fault
            : SysResult.FromReturn(Native.Send(Number, piece->Base, piece->Length, SendFlags));

    private SysResult SendAll(IoVector* pieces, int count)
    {
        var message = new MessageHeader { Vectors = pieces, VectorCount = (nuint)count };
        return SystemCallFaults.Hit("sendmsg", Number, out var fault)
            ? fault
            : SysResult.FromReturn(Native.SendMessage(Number, &message, SendFlags));
    }

    private SysResult SetOption(int level, int name, void* value, int length) =>
        SystemCallFaults.Hit("setsockopt", Number, name, out var fault)
            ? fault
            : SysResult.FromReturn(Native.SetSocketOption(Number, level, name, value, length));

    private SysResult Shutdown(int how) =>
        SystemCallFaults.Hit("shutdown", Number, how, out var fault)
            ? fault
            : SysResult.FromReturn(Native.Shutdown(Number, how));

    private static SysResult Control(int descriptor, int command, int argument) =>
        SystemCallFaults.Hit("fcntl", descriptor, command, out var fault)
            ? fault
            : SysResult.FromReturn(Native.FileControl(descriptor, command, argument));

    /// <summary>What the kernel's struct sockaddr says.</summary>
    public static EndPoint Decode(EndPoint family, ReadOnlySpan<byte> bytes)
    {
        var address = new SocketAddress(family.AddressFamily, bytes.Length);
        bytes.CopyTo(address.Buffer.Span);
        return family.Create(address);
    }
}
