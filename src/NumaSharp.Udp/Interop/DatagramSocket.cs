using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Interop;

/// <summary>Owns a non-blocking datagram socket. Receiving, sending and closing are thread-safe.</summary>
internal sealed unsafe class DatagramSocket : SocketHandle
{
    // The kernel charges at least a struct sk_buff per buffer. MostBuffers is the limit if it does not report SO_RCVBUF.
    private const int SmallestBuffer = 200;
    private const int MostBuffers = 1 << 16;

    private DatagramSocket(int descriptor, AddressFamily family, ClaimedFallbacks fallbacks)
        : base(descriptor) => (Family, Fallbacks) = (family, fallbacks);

    public AddressFamily Family { get; }

    /// <summary>Whether it has one peer, whose errors (ICMP) it reports. Set before it is used by several threads.</summary>
    public bool IsConnected { get; set; }

    /// <summary>Options that the kernel refused for this socket. They end when it is closed.</summary>
    public ClaimedFallbacks Fallbacks { get; }

    public static SysResult Create(AddressFamily family, ClaimedFallbacks fallbacks, out DatagramSocket? socket)
    {
        var result = Open(family, SocketCalls.SOCK_DGRAM);
        socket = result.Succeeded ? new DatagramSocket((int)result.Value, family, fallbacks) : null;
        return result;
    }

    /// <summary>Gives up the descriptor without closing it, because its number now belongs to another file.</summary>
    public void Disown()
    {
        SetHandleAsInvalid();
        Fallbacks.EndAll();
    }

    /// <summary>Receives available datagrams (recvmmsg(2)).</summary>
    /// <returns>The number of messages; EAGAIN for none, EBADF if the socket is closed.</returns>
    public SysResult Receive(MultiMessage* messages, int count)
    {
        if (!TryHold())
        {
            return SysResult.FromErrno(Errno.EBADF);
        }

        SysResult result;
        do
        {
            result = SysResult.FromReturn(
                UdpCalls.ReceiveMessages(Number, messages, (uint)count, SocketCalls.MSG_DONTWAIT, timeout: null));
        }
        while (result.IsInterrupted);

        DangerousRelease();
        return result;
    }

    /// <summary>Sends datagrams while there is room for them (sendmmsg(2)).</summary>
    /// <returns>The number of messages; the error of the first one if none, EBADF if the socket is closed.</returns>
    public SysResult Send(MultiMessage* messages, int count)
    {
        if (!TryHold())
        {
            return SysResult.FromErrno(Errno.EBADF);
        }

        SysResult result;
        do
        {
            result = SysResult.FromReturn(UdpCalls.SendMessages(
                    Number, messages, (uint)count, SocketCalls.MSG_DONTWAIT | SocketCalls.MSG_NOSIGNAL));
        }
        while (result.IsInterrupted);

        DangerousRelease();
        return result;
    }

    /// <summary>
    /// Discards the queued datagrams, at most as many as the receive buffer can hold: without a filter (see
    /// <see cref="DropIncoming"/>) a flood could refill the queue forever.
    /// </summary>
    /// <returns>The number of buffers.</returns>
    public int Discard()
    {
        const int AtOnce = 32;
        var messages = stackalloc MultiMessage[AtOnce];
        var most = GetOption(SocketCalls.SOL_SOCKET, SocketCalls.SO_RCVBUF, out var room).Succeeded
            ? room / SmallestBuffer
            : MostBuffers;
        var discarded = 0;
        for (var calls = 0; calls < most && discarded < most; calls++)
        {
            new Span<MultiMessage>(messages, AtOnce).Clear();
            var result = Receive(messages, AtOnce);
            if (result.Succeeded)
            {
                discarded += (int)result.Value;
            }
            else if (!PeerErrors.Contains(result.Errno))
            {
                // Not an error of a peer, which was pending and comes before the datagrams.
                break;
            }
        }

        return discarded;
    }

    /// <summary>The number of buffers that the kernel dropped for lack of room (SO_MEMINFO), modulo 2^32.</summary>
    public SysResult GetDrops(out uint drops)
    {
        var values = stackalloc uint[UdpCalls.MemoryValues];
        var length = UdpCalls.MemoryValues * sizeof(uint);
        var result = GetOption(Number, SocketCalls.SOL_SOCKET, UdpCalls.SO_MEMINFO, values, &length);
        drops = result.Succeeded ? values[UdpCalls.MemoryDrops] : 0;
        return result;
    }

    /// <summary>Makes the kernel drop and count all datagrams from now on; queued ones stay.</summary>
    public SysResult DropIncoming() =>
        Attach(UdpCalls.SO_ATTACH_FILTER, [new SocketFilter(SocketFilter.ReturnOperand, 0, 0, 0)]);

    /// <summary>Steers by a program; success if the socket is closed.</summary>
    public SysResult SteerUnlessClosed(ReadOnlySpan<SocketFilter> program)
    {
        if (!TryHold())
        {
            return default;
        }

        var result = SteerBy(program);
        DangerousRelease();
        return result;
    }

    /// <summary>Sets an option with a structure as its value.</summary>
    public SysResult SetStructure<T>(int level, int name, T value)
        where T : unmanaged => SetOption(level, name, &value, sizeof(T));

    protected override void Dispose(bool disposing)
    {
        base.Dispose(disposing);
        if (disposing)
        {
            Fallbacks.EndAll();
        }
    }

    // Any thread may send while another closes the socket: by then its number could belong to another file.
    private bool TryHold()
    {
        var isHeld = false;
        try
        {
            DangerousAddRef(ref isHeld);
        }
        catch (ObjectDisposedException)
        {
            // Closed.
        }

        return isHeld;
    }
}

/// <summary>
/// The errors that the kernel derives from replies of peers and routers (ICMP; icmp_err_convert in net/ipv4/icmp.c,
/// icmpv6_err_convert in net/ipv6/icmp.c). They stay pending until the socket's next call, of any kind, which then does nothing.
/// </summary>
internal static class PeerErrors
{
    public static bool Contains(int errno) => errno
        is Errno.ECONNREFUSED
        or Errno.EHOSTUNREACH
        or Errno.ENETUNREACH
        or Errno.EHOSTDOWN
        or Errno.ENONET
        or Errno.ENOPROTOOPT
        or Errno.EOPNOTSUPP
        or Errno.EPROTO
        or Errno.EACCES
        or Errno.EMSGSIZE;
}
