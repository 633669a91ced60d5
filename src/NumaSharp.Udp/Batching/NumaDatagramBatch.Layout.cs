using System.Runtime.InteropServices;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>The native memory: headers, addresses and control data of each message, and its slot.</content>
public sealed unsafe partial class NumaDatagramBatch
{
    /// <summary>sizeof(struct sockaddr_in6) is 28.</summary>
    internal const int AddressSize = 32;

    /// <summary>
    /// Room for all control messages that can come together (UDP_GRO, IP_PKTINFO and IPV6_PKTINFO, IP_TOS and IPV6_TCLASS,
    /// SCM_TIMESTAMPNS): with less the kernel omits the last ones (MSG_CTRUNC), and with them the datagrams' boundaries.
    /// </summary>
    internal const int ControlSize = 192;

    /// <summary>A message joined by the kernel has up to 64 KiB.</summary>
    internal const int SlotSize = 65_536;

    // Slots a power of two apart would all start in the same set of the caches.
    private const int SlotStride = SlotSize + 192;

    private readonly int[] _segments;

    // The number of bytes of a message's control data that hold its source address.
    private readonly int[] _sources;
    private MultiMessage* _messages;
    private IoVector* _vectors;
    private MultiMessage* _splitMessages;
    private IoVector* _splitVectors;
    private byte* _addresses;
    private byte* _controls;
    private byte* _slots;

    // From this index on, the headers are still set up for a receive.
    private int _used;

    private static int BytesFor(int capacity) =>
        (capacity * (sizeof(MultiMessage) + sizeof(IoVector) + AddressSize + ControlSize + SlotStride))
            + (MaxSegments * (sizeof(MultiMessage) + sizeof(IoVector)));

    /// <summary>The length of a message in bytes.</summary>
    internal int LengthOf(int message) => (int)_messages[message].Length;

    internal ReadOnlySpan<byte> AddressOf(int message)
    {
        ref var header = ref _messages[message].Header;
        return new ReadOnlySpan<byte>(header.Name, (int)header.NameLength);
    }

    internal Span<byte> PayloadOf(int message, int offset, int length) => new(_vectors[message].Base + offset, length);

    internal bool IsTruncated(int message) => (_messages[message].Header.Flags & UdpCalls.MSG_TRUNC) != 0;

    /// <summary>Finds a received control message; <see langword="null"/> for none.</summary>
    internal byte* FindControl(int message, int level, int type, int size)
    {
        ref var header = ref _messages[message].Header;
        return ControlMessage.Find((byte*)header.Control, header.ControlLength, level, type, size);
    }

    private void LayOut(byte* memory)
    {
        _messages = (MultiMessage*)memory;
        _splitMessages = _messages + Capacity;
        _vectors = (IoVector*)(_splitMessages + MaxSegments);
        _splitVectors = _vectors + Capacity;
        _addresses = (byte*)(_splitVectors + MaxSegments);
        _controls = _addresses + (Capacity * AddressSize);
        _slots = _controls + (Capacity * ControlSize);
        NativeMemory.Clear(memory, (nuint)(_slots - memory));
        for (var i = 0; i < Capacity; i++)
        {
            ref var header = ref _messages[i].Header;
            header.Name = _addresses + (i * AddressSize);
            header.Vectors = _vectors + i;
            header.VectorCount = 1;
            header.Control = _controls + (i * ControlSize);
            Rearm(i);
        }

        for (var i = 0; i < MaxSegments; i++)
        {
            _splitMessages[i].Header.Vectors = _splitVectors + i;
            _splitMessages[i].Header.VectorCount = 1;
        }
    }

    private byte* SlotOf(int message) => _slots + ((nint)message * SlotStride);

    // The kernel overwrites the available lengths with the used ones.
    private void Rearm(int message)
    {
        ref var header = ref _messages[message].Header;
        header.NameLength = AddressSize;
        header.ControlLength = ControlSize;
        header.Flags = 0;
        _vectors[message] = new IoVector { Base = SlotOf(message), Length = SlotSize };
    }

    private void Reset()
    {
        for (var i = 0; i < _used; i++)
        {
            Rearm(i);
        }

        (_used, _count, Count) = (0, 0, 0);
        (_next, _nextOffset, _uncut, _retried, _isCutInDoubt) = (0, 0, -1, -1, false);
        _isReceived = false;
        _version++;
    }
}
