using System.Net;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Sockets;
using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <summary>
/// Reusable memory of one node for datagrams received, or sent, with one system call (recvmmsg(2), sendmmsg(2)). A message of the
/// batch is one datagram, or several of one peer that the kernel has joined (UDP_GRO, udp(7)) or is to segment (UDP_SEGMENT);
/// enumeration yields the datagrams one by one. One user at a time: a batch belongs to a pending receive or send.
/// </summary>
/// <remarks>
/// Received data is valid until the next receive into the batch, or <see cref="Clear"/>; accessing it afterwards throws. A
/// received batch can be sent as it is: every message goes back to its sender, from the address it was sent to.
/// </remarks>
public sealed unsafe partial class NumaDatagramBatch : IDisposable
{
    /// <summary>
    /// The largest datagram over IPv4: 65,535 bytes less the headers of UDP and of the packet. Over IPv6 it has 65,527 bytes.
    /// </summary>
    public const int MaxPayload = 65_507;

    /// <summary>The maximum number of datagrams per message: UDP_MAX_SEGMENTS of Linux before 6.9.</summary>
    public const int MaxSegments = 64;

    internal const int MaxCapacity = 1024;

    private const int MaxPayload6 = 65_527;

    // sizeof(struct sockaddr_in)
    private const int Address4Size = 16;

    // The payload of an Ethernet frame: there the kernel refuses longer segments (EINVAL). Copying that much takes a twentieth of
    // a microsecond; a datagram's way through the kernel takes one to four.
    private const int LongestCopied = 1472;

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

    private readonly NumaMemoryBlock _block;
    private int _count;
    private int _version;
    private bool _isDisposed;

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

    /// <summary>Creates an empty batch.</summary>
    /// <param name="pool">The pool of the node that receives or sends the datagrams.</param>
    /// <param name="capacity">
    /// The number of messages, 1 to 1024. Each has room for 64 KiB; only used pages take memory if the pool can bind it.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is outside its range.</exception>
    /// <exception cref="NumaException">The pool's node has no memory left, where binding is strict.</exception>
    /// <exception cref="OutOfMemoryException">The pool has reached its limit, or the system has no memory.</exception>
    public NumaDatagramBatch(NumaMemoryPool pool, int capacity = 32)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, MaxCapacity);
        Capacity = _room = capacity;
        _segments = new int[capacity];
        _sources = new int[capacity];
        _block = pool.RentBlock(BytesFor(capacity));
        LayOut(_block.Pointer);
        Operation = new BatchOperation();
    }

    /// <summary>The maximum number of messages.</summary>
    public int Capacity { get; }

    /// <summary>The number of messages in the batch.</summary>
    public int MessageCount => _count;

    /// <summary>The number of datagrams: that of the messages, or more where the kernel joins or segments them.</summary>
    public int Count { get; private set; }

    /// <summary>The kernel id of the node that the memory belongs to.</summary>
    public NumaNodeId NodeId => _block.NodeId;

    /// <summary>The batch's asynchronous receive or send, one at a time.</summary>
    internal BatchOperation Operation { get; }

    /// <summary>Adds a datagram to send.</summary>
    /// <param name="remoteAddress">
    /// The recipient in the kernel's form (<see cref="SocketAddress.Buffer"/>, <see cref="Datagram.RemoteAddress"/>), of the
    /// socket's family; empty on a connected socket.
    /// </param>
    /// <param name="payload">
    /// The datagram, 0 to <see cref="MaxPayload"/> bytes, or 65,527 over IPv6; copied. On a connected socket, and to an IPv4 peer
    /// of an IPv6 socket, the kernel refuses a longer one.
    /// </param>
    /// <returns>False when the batch is full.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The payload, or the address, is too long.</exception>
    /// <exception cref="InvalidOperationException">A receive or a send with the batch has not ended.</exception>
    /// <exception cref="ObjectDisposedException">The batch was disposed.</exception>
    public bool TryAdd(ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> payload)
    {
        CheckOutgoing(remoteAddress, payload.Length, LongestTo(remoteAddress));
        return TryAppend(remoteAddress, source: default, payload);
    }

    /// <summary>Adds many datagrams to one peer, to be segmented by the kernel or the device (UDP_SEGMENT, udp(7)).</summary>
    /// <param name="remoteAddress">The recipient, as in the other overload.</param>
    /// <param name="payload">Their bytes, one after the other, up to <see cref="MaxPayload"/> in all; copied.</param>
    /// <param name="segmentSize">
    /// The length of each but the last, which may be shorter: from 1, and giving at most <see cref="MaxSegments"/> datagrams.
    /// </param>
    /// <returns>False when the batch is full.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range.</exception>
    /// <exception cref="InvalidOperationException">A receive or a send with the batch has not ended.</exception>
    /// <exception cref="ObjectDisposedException">The batch was disposed.</exception>
    public bool TryAddSegments(ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> payload, int segmentSize)
    {
        CheckOutgoing(remoteAddress, payload.Length, MaxPayload);
        ArgumentOutOfRangeException.ThrowIfLessThan(segmentSize, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SegmentsOf(payload.Length, segmentSize), MaxSegments, nameof(payload));
        return TryAppendMessage(remoteAddress, source: default, payload, segmentSize);
    }

    /// <summary>Empties the batch.</summary>
    /// <exception cref="InvalidOperationException">A receive or a send with the batch has not ended.</exception>
    /// <exception cref="ObjectDisposedException">The batch was disposed.</exception>
    public void Clear()
    {
        CheckUsable();
        Reset();
    }

    /// <summary>Enumerates the datagrams one by one.</summary>
    /// <returns>The enumerator.</returns>
    /// <exception cref="InvalidOperationException">A receive or a send with the batch has not ended.</exception>
    /// <exception cref="ObjectDisposedException">The batch was disposed.</exception>
    public Enumerator GetEnumerator()
    {
        CheckUsable();
        return new Enumerator(this);
    }

    /// <summary>Returns the memory to the pool.</summary>
    /// <exception cref="InvalidOperationException">A receive or a send with the batch has not ended.</exception>
    public void Dispose()
    {
        if (!_isDisposed)
        {
            CheckUsable();
            _isDisposed = true;
            _version++;
            _block.Dispose();
        }
    }

    /// <summary>The largest datagram to an address in the kernel's form; empty on a connected socket.</summary>
    internal static int LongestTo(ReadOnlySpan<byte> remoteAddress) =>
        remoteAddress.Length == Address4Size ? MaxPayload : MaxPayload6;

    /// <summary>The number of datagrams in a message of that length.</summary>
    internal static int SegmentsOf(int length, int segmentSize) =>
        segmentSize <= 0 || length <= segmentSize ? 1 : (int)(((uint)length + (uint)segmentSize - 1) / (uint)segmentSize);

    internal void CheckUsable()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (Operation.IsPending)
        {
            throw new InvalidOperationException("The batch is in use by a receive or a send that has not completed.");
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CheckVersion(int version)
    {
        if (version != _version)
        {
            ThrowStale();
        }
    }

    private static void ThrowStale() =>
        throw new InvalidOperationException("The datagram is gone: its batch was received into, cleared or disposed since.");

    private void CheckOutgoing(ReadOnlySpan<byte> remoteAddress, int length, int longest)
    {
        CheckUsable();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, longest, "payload");
        ArgumentOutOfRangeException.ThrowIfGreaterThan(remoteAddress.Length, AddressSize, nameof(remoteAddress));
    }

    // Adding datagrams to send.

    /// <summary>
    /// Adds a datagram; appends it to the last message if that has the same peer and datagram length, so that the kernel takes
    /// them as one (UDP_SEGMENT).
    /// </summary>
    /// <param name="remoteAddress">The recipient.</param>
    /// <param name="source">The control message with the source address, or nothing.</param>
    /// <param name="payload">The datagram.</param>
    /// <returns>False when the batch is full.</returns>
    internal bool TryAppend(ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, ReadOnlySpan<byte> payload)
    {
        var last = _count - 1;
        if (last >= 0 && _vectors[last].Base == SlotOf(last)
            && TryExtend(last, remoteAddress, source, _vectors[last].Base + _vectors[last].Length, payload.Length))
        {
            payload.CopyTo(new Span<byte>(_vectors[last].Base + _vectors[last].Length - payload.Length, payload.Length));
            return true;
        }

        return TryAppendMessage(remoteAddress, source, payload, segmentSize: 0);
    }

    /// <summary>Adds a datagram without copying it; it must stay in place, unchanged, until it is sent.</summary>
    /// <param name="remoteAddress">The recipient.</param>
    /// <param name="source">The control message with the source address, or nothing.</param>
    /// <param name="payload">The datagram.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="joins">
    /// Whether the kernel segments sent messages (UDP_SEGMENT): then a small datagram is copied behind its like after all.
    /// </param>
    /// <returns>False when the batch is full.</returns>
    internal bool TryAppendInPlace(
        ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, byte* payload, int length, bool joins)
    {
        if (_count > 0
            && (TryExtend(_count - 1, remoteAddress, source, payload, length)
                || (joins && TryExtendByCopy(_count - 1, remoteAddress, source, payload, length))))
        {
            return true;
        }

        if (!TryBegin(remoteAddress, source, length, segmentSize: 0))
        {
            return false;
        }

        _vectors[_count - 1].Base = payload;
        return true;
    }

    private bool TryExtendByCopy(
        int message, ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, byte* payload, int length)
    {
        ref var vector = ref _vectors[message];
        var whole = (int)vector.Length;
        var slot = SlotOf(message);
        var isMoved = vector.Base == slot;
        if (length > LongestCopied || (!isMoved && (whole > LongestCopied || _segments[message] > 0))
            || !TryExtend(message, remoteAddress, source, vector.Base + whole, length))
        {
            return false;
        }

        if (!isMoved)
        {
            new ReadOnlySpan<byte>(vector.Base, whole).CopyTo(new Span<byte>(slot, whole));
            vector.Base = slot;
        }

        new ReadOnlySpan<byte>(payload, length).CopyTo(new Span<byte>(slot + whole, length));
        return true;
    }

    private bool TryAppendMessage(
        ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, ReadOnlySpan<byte> payload, int segmentSize)
    {
        if (!TryBegin(remoteAddress, source, payload.Length, segmentSize))
        {
            return false;
        }

        payload.CopyTo(new Span<byte>(_vectors[_count - 1].Base, payload.Length));
        return true;
    }

    private bool TryBegin(ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, int length, int segmentSize)
    {
        if (_count == Capacity)
        {
            return false;
        }

        var message = _count++;
        _used = Math.Max(_used, _count);
        ref var header = ref _messages[message].Header;
        remoteAddress.CopyTo(new Span<byte>(header.Name, AddressSize));
        source.CopyTo(new Span<byte>(header.Control, ControlSize));
        header.NameLength = (uint)remoteAddress.Length;

        // Replaces what an earlier receive has left.
        header.ControlLength = (nuint)source.Length;
        header.Flags = 0;

        // Not necessarily its own slot, if received messages were dropped.
        _vectors[message].Length = (nuint)length;
        _messages[message].Length = (uint)length;
        _segments[message] = segmentSize;
        _sources[message] = source.Length;
        Count += SegmentsOf(length, segmentSize);
        return true;
    }

    // Only the last datagram of a message may be shorter than the others, and none may be empty.
    private bool TryExtend(
        int message, ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, byte* payload, int length)
    {
        ref var vector = ref _vectors[message];
        var whole = (int)vector.Length;
        var segment = _segments[message] > 0 ? _segments[message] : whole;
        if (whole == 0 || length == 0 || length > segment || whole % segment != 0 || whole / segment >= MaxSegments
            || whole + length > MaxPayload || payload != vector.Base + whole || message < _next)
        {
            return false;
        }

        ref var header = ref _messages[message].Header;
        if (!remoteAddress.SequenceEqual(new ReadOnlySpan<byte>(header.Name, (int)header.NameLength))
            || !source.SequenceEqual(new ReadOnlySpan<byte>(header.Control, _sources[message])))
        {
            return false;
        }

        _segments[message] = segment;
        vector.Length += (nuint)length;
        _messages[message].Length = (uint)(whole + length);
        Count++;
        return true;
    }

    // The native memory: headers, addresses and control data of each message, and its slot.

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

    /// <summary>Enumerates the datagrams of a batch.</summary>
    public ref struct Enumerator
    {
        private readonly NumaDatagramBatch _batch;
        private readonly int _enumerated;
        private int _message;
        private int _offset;
        private int _length;
        private int _segment;

        internal Enumerator(NumaDatagramBatch batch)
        {
            _batch = batch;
            _enumerated = batch._version;
            _message = -1;
        }

        /// <summary>The current datagram.</summary>
        public readonly Datagram Current => new(
            _batch, _enumerated, _message, _offset, Math.Min(_segment, _length - _offset));

        /// <summary>Moves to the next datagram.</summary>
        /// <returns>Whether there is one.</returns>
        /// <exception cref="InvalidOperationException">The batch has been reused since.</exception>
        public bool MoveNext()
        {
            _batch.CheckVersion(_enumerated);
            _offset += _segment;
            if (_offset < _length)
            {
                return true;
            }

            if (++_message >= _batch._count)
            {
                return false;
            }

            _offset = 0;
            _length = _batch.LengthOf(_message);
            _segment = _batch._segments[_message] is > 0 and var segment && segment < _length ? segment : _length;
            return true;
        }
    }
}
