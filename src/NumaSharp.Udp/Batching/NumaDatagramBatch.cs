using System.Net;
using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Udp.Batching;

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

    private readonly NumaMemoryBlock _block;
    private int _count;
    private int _version;
    private bool _isDisposed;

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
    /// The recipient in the kernel's form (<see cref="SocketAddress.Buffer"/>, <see cref="Datagram.Address"/>), of the socket's
    /// family; empty on a connected socket.
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
