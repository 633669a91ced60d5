using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>Adding datagrams to send.</content>
public sealed unsafe partial class NumaDatagramBatch
{
    // The payload of an Ethernet frame: there the kernel refuses longer segments (EINVAL). Copying that much takes a twentieth of
    // a microsecond; a datagram's way through the kernel takes one to four.
    private const int LongestCopied = 1472;

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
}
