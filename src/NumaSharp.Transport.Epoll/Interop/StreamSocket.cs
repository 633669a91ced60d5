using System.Net;
using System.Net.Sockets;
using NumaSharp.Interop;
using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>Owns a non-blocking stream socket.</summary>
internal sealed unsafe class StreamSocket : SocketHandle
{
    private const int SendFlags = SocketCalls.MSG_DONTWAIT | SocketCalls.MSG_NOSIGNAL;

    private StreamSocket(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(AddressFamily family, out StreamSocket? socket)
    {
        var result = Open(family, SocketCalls.SOCK_STREAM);
        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        return result;
    }

    /// <summary>
    /// Duplicates the descriptor of a socket opened by other code, which keeps its own. The socket becomes non-blocking for both.
    /// </summary>
    public static SysResult Duplicate(int descriptor, out StreamSocket? socket)
    {
        socket = null;
        var flags = Control(descriptor, StreamCalls.F_GETFL, 0);
        if (!flags.Succeeded)
        {
            return flags;
        }

        var set = Control(descriptor, StreamCalls.F_SETFL, (int)flags.Value | StreamCalls.O_NONBLOCK);
        if (!set.Succeeded)
        {
            return set;
        }

        var result = Control(descriptor, StreamCalls.F_DUPFD_CLOEXEC, 0);
        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        return result;
    }

    public SysResult Listen(int backlog) =>
        SysResult.FromReturn(StreamCalls.Listen(Number, backlog));

    /// <summary>Accepts a connection (accept4(2)).</summary>
    /// <param name="listening">An end point of the listening address family, used to decode the peer's address.</param>
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
                StreamCalls.Accept(Number, bytes, &length, SocketCalls.SOCK_NONBLOCK | SocketCalls.SOCK_CLOEXEC));
        }
        while (result.IsInterrupted);

        socket = result.Succeeded ? new StreamSocket((int)result.Value) : null;
        remote = result.Succeeded ? Decode(listening, new ReadOnlySpan<byte>(bytes, length)) : null;
        return result;
    }

    /// <summary>
    /// The local address of a connection that was accepted; without a system call where all of the listening socket have one.
    /// </summary>
    public SysResult GetLocalEndPoint(LocalEndPoints known, out EndPoint? endPoint)
    {
        endPoint = known.Single;
        if (endPoint is not null)
        {
            return default;
        }

        var bytes = stackalloc byte[MaxAddressLength];
        var result = GetLocalAddress(bytes, out var length);
        endPoint = result.Succeeded ? known.Decode(new ReadOnlySpan<byte>(bytes, length)) : null;
        return result;
    }

    /// <summary>
    /// Whether connections can have addresses that are not this machine's (IP_TRANSPARENT, ip(7)). Also if it cannot be read, as
    /// on MPTCP sockets of many kernels.
    /// </summary>
    public bool MayBeTransparent => MayHave(StreamCalls.IPPROTO_IP, StreamCalls.IP_TRANSPARENT);

    /// <summary>Whether a connection can be accepted before its handshake has ended (TCP_FASTOPEN, tcp(7)).</summary>
    public bool MayOpenFast => MayHave(StreamCalls.IPPROTO_TCP, StreamCalls.TCP_FASTOPEN);

    /// <summary>The CPU that received the connection's last packet (SO_INCOMING_CPU); -1 if unknown.</summary>
    public int GetIncomingCpu() =>
        GetOption(SocketCalls.SOL_SOCKET, StreamCalls.SO_INCOMING_CPU, out var cpu).Succeeded ? cpu : -1;

    /// <summary>Makes the next close a reset (RST) instead of an orderly end.</summary>
    public SysResult SetResetOnClose()
    {
        var linger = new Linger { IsOn = 1, Seconds = 0 };
        return SetOption(SocketCalls.SOL_SOCKET, StreamCalls.SO_LINGER, &linger, sizeof(Linger));
    }

    public SysResult ShutdownSend() => Shutdown(StreamCalls.SHUT_WR);

    /// <summary>Ends both directions: a receiver sees the end of the stream, after the bytes before it.</summary>
    public SysResult ShutdownBoth() => Shutdown(StreamCalls.SHUT_RDWR);

    public SysResult Receive(byte* buffer, int length) => Receive(buffer, length, flags: 0);

    /// <summary>
    /// Receives from a Unix socket (recvmsg(2)). Ancillary data (unix(7): descriptors, credentials) is dropped.
    /// </summary>
    /// <param name="buffer">The destination.</param>
    /// <param name="length">The buffer's length in bytes.</param>
    /// <param name="isCut">
    /// Whether ancillary data was dropped (MSG_CTRUNC). The kernel ends a receive there, however many bytes follow.
    /// </param>
    public SysResult ReceiveMessage(byte* buffer, int length, out bool isCut)
    {
        var piece = new IoVector { Base = buffer, Length = (nuint)length };
        var message = new MessageHeader { Vectors = &piece, VectorCount = 1 };
        SysResult result;
        do
        {
            result = SysResult.FromReturn(StreamCalls.ReceiveMessage(Number, &message, SocketCalls.MSG_DONTWAIT));
        }
        while (result.IsInterrupted);

        isCut = (message.Flags & StreamCalls.MSG_CTRUNC) != 0;
        return result;
    }

    /// <summary>Discards received bytes that are not wanted, up to a limit.</summary>
    /// <param name="limit">In bytes.</param>
    /// <param name="isTcp">TCP drops bytes without copying them, all in one call (MSG_TRUNC, tcp(7)).</param>
    public void Discard(int limit, bool isTcp)
    {
        const int Piece = 16 << 10;
        byte* scratch = stackalloc byte[isTcp ? 0 : Piece];
        for (var left = limit; left > 0;)
        {
            var result = isTcp
                ? Receive(null, left, StreamCalls.MSG_TRUNC)
                : Receive(scratch, Math.Min(left, Piece), flags: 0);
            if (result.Value <= 0)
            {
                return;
            }

            left -= (int)result.Value;
        }
    }

    /// <summary>Sends one or more pieces with one call.</summary>
    /// <param name="pieces">At most IOV_MAX (1024).</param>
    /// <param name="endFollows">
    /// Whether <see cref="ShutdownSend"/> is next: TCP then keeps the last segment for it (MSG_MORE, tcp(7)), and bytes and FIN
    /// are one packet.
    /// </param>
    public SysResult Send(ReadOnlySpan<IoVector> pieces, bool endFollows)
    {
        var flags = endFollows ? SendFlags | StreamCalls.MSG_MORE : SendFlags;
        SysResult result;
        fixed (IoVector* vectors = pieces)
        {
            do
            {
                result = pieces.Length == 1 ? SendOne(vectors, flags) : SendAll(vectors, pieces.Length, flags);
            }
            while (result.IsInterrupted);
        }

        return result;
    }

    private SysResult Receive(byte* buffer, int length, int flags)
    {
        SysResult result;
        do
        {
            result = SysResult.FromReturn(StreamCalls.Receive(Number, buffer, (nuint)length, flags | SocketCalls.MSG_DONTWAIT));
        }
        while (result.IsInterrupted);

        return result;
    }

    private SysResult SendOne(IoVector* piece, int flags) =>
        SysResult.FromReturn(StreamCalls.Send(Number, piece->Base, piece->Length, flags));

    private SysResult SendAll(IoVector* pieces, int count, int flags)
    {
        var message = new MessageHeader { Vectors = pieces, VectorCount = (nuint)count };
        return SysResult.FromReturn(StreamCalls.SendMessage(Number, &message, flags));
    }

    private bool MayHave(int level, int option) => !(GetOption(level, option, out var value).Succeeded && value == 0);

    private SysResult Shutdown(int how) =>
        SysResult.FromReturn(StreamCalls.Shutdown(Number, how));

    private static SysResult Control(int descriptor, int command, int argument) =>
        SysResult.FromReturn(StreamCalls.FileControl(descriptor, command, argument));
}

/// <summary>
/// The local addresses of connections accepted by one listening socket: the one that it is bound to, or, if that is a wildcard,
/// nearly always equal to the previous one; the object, 72 bytes for TCP, is then shared. Not thread-safe.
/// </summary>
/// <param name="socket">The listening socket.</param>
/// <param name="family">An end point of the address family, used for decoding.</param>
internal sealed class LocalEndPoints(StreamSocket socket, EndPoint family)
{
    private byte[] _bytes = [];
    private EndPoint? _last;

    /// <summary>
    /// The address of every connection, or <see langword="null"/> if they may differ: bound to a wildcard, or transparent. A
    /// program of BPF can give a socket connections to other addresses (sk_lookup, sk_assign); those have this one, as with
    /// .NET's sockets.
    /// </summary>
    public EndPoint? Single { get; } = FindSingle(socket, family);

    public EndPoint Decode(ReadOnlySpan<byte> bytes)
    {
        if (_last is null || !bytes.SequenceEqual(_bytes))
        {
            _last = StreamSocket.Decode(family, bytes);
            _bytes = bytes.ToArray();
        }

        return _last;
    }

    // The listener's own object would do, but the application can change that, and the socket is opened again with it.
    private static EndPoint? FindSingle(StreamSocket socket, EndPoint family)
    {
        if (!socket.GetLocalEndPoint(family, out var bound).Succeeded)
        {
            return null;
        }

        var mayDiffer = bound is IPEndPoint { Address: var address }
            && (PortBinding.IsWildcard(address) || socket.MayBeTransparent);
        return mayDiffer ? null : bound;
    }
}
