using System.Runtime.CompilerServices;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>Receiving.</content>
public sealed unsafe partial class NumaDatagramBatch
{
    // More bytes per call than a core's own cache holds would be evicted before the handler reads them; and copying that much
    // delays the loop's other sockets.
    private const int MaxReceivedAtOnce = 256 << 10;

    private const int FewestAtOnce = 2;

    private int _room;

    /// <summary>Whether the kernel filled all requested messages: there may be more.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>The number of bytes of the received datagrams.</summary>
    internal long ReceivedBytes { get; private set; }

    /// <summary>Messages with a payload longer than a slot, or control data longer than its room: the rest is lost.</summary>
    internal int TruncatedMessages { get; private set; }

    /// <summary>Datagrams that were dropped because their source is the socket itself.</summary>
    internal int OwnDropped { get; private set; }

    /// <summary>Receives available datagrams, replacing the batch's content.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="own">The socket's own addresses, to drop datagrams from them; <see langword="null"/> to drop none.</param>
    /// <param name="skipsBroadcasts">Whether another socket receives the broadcasts, of which this one has copies.</param>
    /// <returns>The number of messages; EAGAIN for none.</returns>
    internal SysResult Receive(DatagramSocket socket, OwnAddresses? own = null, bool skipsBroadcasts = false)
    {
        Reset();
        var result = socket.Receive(_messages, _room);
        if (result.Succeeded)
        {
            _count = _used = (int)result.Value;
            _isReceived = true;
            IsFull = _count == _room;
            CountReceived();

            // The next messages will have about the same length.
            var mean = Math.Max(1, ReceivedBytes / _count);
            _room = (int)Math.Clamp(MaxReceivedAtOnce / mean, Math.Min(FewestAtOnce, Capacity), Capacity);
            OwnDropped = 0;
            if (skipsBroadcasts)
            {
                SkipBroadcasts();
            }

            if (own is not null && HasOwn(own))
            {
                DropOwn(own);
            }
        }

        return result;
    }

    private void SkipBroadcasts()
    {
        var kept = 0;
        for (var i = 0; i < _count; i++)
        {
            if (!IsBroadcast(i))
            {
                Swap(kept++, i);
            }
        }

        if (kept < _count)
        {
            _count = kept;
            CountReceived();
        }
    }

    // Also true for a datagram to a group. If the local address is 0, the kernel does not know it.
    private bool IsBroadcast(int message)
    {
        var v4 = FindControl(message, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, sizeof(PacketInfo4));
        if (v4 is null)
        {
            return false;
        }

        var info = Unsafe.ReadUnaligned<PacketInfo4>(v4);
        return info.Local != 0 && info.Local != info.Destination;
    }

    private bool HasOwn(OwnAddresses own)
    {
        for (var i = 0; i < _count; i++)
        {
            if (own.HasSource(AddressOf(i)))
            {
                return true;
            }
        }

        return false;
    }

    private void DropOwn(OwnAddresses own)
    {
        var (kept, before) = (0, Count);
        for (var i = 0; i < _count; i++)
        {
            if (!own.HasSource(AddressOf(i)) || (own.IsAny && !IsUnicast(own, i)))
            {
                Swap(kept++, i);
            }
        }

        _count = kept;
        CountReceived();
        OwnDropped = before - Count;
    }

    // Multicasts and broadcasts of this machine come back to it on purpose.
    private bool IsUnicast(OwnAddresses own, int message)
    {
        var v4 = FindControl(message, UdpCalls.IPPROTO_IP, UdpCalls.IP_PKTINFO, sizeof(PacketInfo4));
        if (v4 is not null)
        {
            var info4 = Unsafe.ReadUnaligned<PacketInfo4>(v4);
            return info4.Local == info4.Destination;
        }

        var v6 = FindControl(message, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_PKTINFO, sizeof(PacketInfo6));
        if (v6 is null)
        {
            return true;
        }

        var info = Unsafe.ReadUnaligned<PacketInfo6>(v6);
        return own.Has(OwnAddress.Of(info.Address, (uint)info.Interface));
    }

    // The headers keep their address and control buffers; vectors stay in the order of the messages.
    private void Swap(int one, int other)
    {
        if (one != other)
        {
            (_messages[one], _messages[other]) = (_messages[other], _messages[one]);
            (_vectors[one], _vectors[other]) = (_vectors[other], _vectors[one]);
            (_segments[one], _segments[other]) = (_segments[other], _segments[one]);
            _messages[one].Header.Vectors = _vectors + one;
            _messages[other].Header.Vectors = _vectors + other;
        }
    }

    private void CountReceived()
    {
        var (datagrams, truncated, bytes) = (0, 0, 0L);
        for (var i = 0; i < _count; i++)
        {
            var length = LengthOf(i);
            var joined = FindControl(i, UdpCalls.SOL_UDP, UdpCalls.UDP_GRO, sizeof(int));
            var segment = _segments[i] = joined is null ? 0 : *(int*)joined;
            datagrams += SegmentsOf(length, segment);
            bytes += length;
            truncated += (_messages[i].Header.Flags & (UdpCalls.MSG_TRUNC | UdpCalls.MSG_CTRUNC)) == 0 ? 0 : 1;
        }

        (Count, TruncatedMessages, ReceivedBytes) = (datagrams, truncated, bytes);
    }
}
