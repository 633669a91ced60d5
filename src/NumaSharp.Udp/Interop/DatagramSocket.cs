using System.Net.Sockets;
using NumaSharp.Interop;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Interop;

/// <summary>Owns a non-blocking datagram socket. Receiving, sending and closing are thread-safe.</summary>
internal sealed unsafe class DatagramSocket : SocketHandle
{
    private DatagramSocket(int descriptor, AddressFamily family)
        : base(descriptor) => Family = family;

    public AddressFamily Family { get; }

    public static SysResult Create(AddressFamily family, out DatagramSocket? socket)
    {
        var result = Open(family, SocketCalls.SOCK_DGRAM);
        socket = result.Succeeded ? new DatagramSocket((int)result.Value, family) : null;
        return result;
    }

    /// <summary>Receives datagrams that are there (recvmmsg(2)).</summary>
    /// <returns>How many; EAGAIN for none, EBADF when the socket is closed.</returns>
    public SysResult Receive(MultiMessage* messages, int count)
    {
        if (!TryHold())
        {
            return SysResult.FromErrno(Errno.EBADF);
        }

        SysResult result;
        do
        {
            result = SystemCallFaults.Hit("recvmmsg", Number, out var fault)
                ? fault
                : SysResult.FromReturn(
                    UdpCalls.ReceiveMessages(Number, messages, (uint)count, SocketCalls.MSG_DONTWAIT, timeout: null));
        }
        while (result.IsInterrupted);

        DangerousRelease();
        return result;
    }

    /// <summary>Sends datagrams while there is room for them (sendmmsg(2)).</summary>
    /// <returns>How many messages; the error of the first one if none, EBADF when the socket is closed.</returns>
    public SysResult Send(MultiMessage* messages, int count)
    {
        if (!TryHold())
        {
            return SysResult.FromErrno(Errno.EBADF);
        }

        SysResult result;
        do
        {
            result = SystemCallFaults.Hit("sendmmsg", Number, out var fault)
                ? fault
                : SysResult.FromReturn(UdpCalls.SendMessages(
                    Number, messages, (uint)count, SocketCalls.MSG_DONTWAIT | SocketCalls.MSG_NOSIGNAL));
        }
        while (result.IsInterrupted);

        DangerousRelease();
        return result;
    }

    /// <summary>Takes out what is queued, without looking at it.</summary>
    /// <returns>How many buffers.</returns>
    public int Discard()
    {
        const int AtOnce = 32;
        var messages = stackalloc MultiMessage[AtOnce];
        var discarded = 0;
        while (true)
        {
            new Span<MultiMessage>(messages, AtOnce).Clear();
            var result = Receive(messages, AtOnce);
            if (!result.Succeeded)
            {
                return discarded;
            }

            discarded += (int)result.Value;
        }
    }

    /// <summary>How many buffers the kernel has dropped because the socket had no room (SO_MEMINFO), modulo 2^32.</summary>
    public SysResult GetDrops(out uint drops)
    {
        var values = stackalloc uint[UdpCalls.MemoryValues];
        var length = UdpCalls.MemoryValues * sizeof(uint);
        var result = GetOption(Number, SocketCalls.SOL_SOCKET, UdpCalls.SO_MEMINFO, values, &length);
        drops = result.Succeeded ? values[UdpCalls.MemoryDrops] : 0;
        return result;
    }

    /// <summary>Has the kernel drop, and count, whatever comes from now on; what is queued stays.</summary>
    public SysResult DropWhatComes() =>
        Attach(UdpCalls.SO_ATTACH_FILTER, [new SocketFilter(SocketFilter.ReturnOperand, 0, 0, 0)]);

    /// <summary>Steers by a program; a closed socket needs none.</summary>
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

    /// <summary>Sets an option whose value is a structure.</summary>
    public SysResult SetStructure<T>(int level, int name, T value)
        where T : unmanaged => SetOption(level, name, &value, sizeof(T));

    // Datagrams are sent by any thread, also while another closes the socket: its number could be somebody else's by then.
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
