using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>What is to be sent.</content>
public sealed unsafe partial class NumaDatagramBatch
{
    // What fits Ethernet's frame with its headers: the kernel does not cut into longer ones (EINVAL) there. To copy that much
    // takes a twentieth of a microsecond; a datagram's way through the kernel takes one to four.
    private const int LongestCopied = 1472;

    /// <summary>
    /// Adds a datagram; to the last message, when it is for the same peer and as long as that one's, so that the kernel takes
    /// them as one (UDP_SEGMENT).
    /// </summary>
    /// <param name="remoteAddress">Who gets it.</param>
    /// <param name="source">The control message with the address that it is to come from, or nothing.</param>
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

    /// <summary>Adds a datagram that stays where it is, and unchanged, until it is sent.</summary>
    /// <param name="remoteAddress">Who gets it.</param>
    /// <param name="source">The control message with the address that it is to come from, or nothing.</param>
    /// <param name="payload">The datagram.</param>
    /// <param name="length">Its bytes.</param>
    /// <param name="joins">
    /// Whether the kernel cuts what is sent as one (UDP_SEGMENT): then a small one is copied behind its like after all.
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

        // What an earlier receive has left there is not this message's.
        header.ControlLength = (nuint)source.Length;
        header.Flags = 0;

        // Its slot may be another one than its own, if received messages were dropped.
        _vectors[message].Length = (nuint)length;
        _messages[message].Length = (uint)length;
        _segments[message] = segmentSize;
        _sources[message] = source.Length;
        Count += SegmentsOf(length, segmentSize);
        return true;
    }

    // Only the last one of a message may be shorter than the others, and none may be empty.
    private bool TryExtend(
        int message, ReadOnlySpan<byte> remoteAddress, ReadOnlySpan<byte> source, byte* payload, int length)
    {
        ref var vector = ref _vectors[message];
        var whole = (int)vector.Length;
        var segment = _segments[message] > 0 ? _segments[message] : whole;
        if (length == 0 || length > segment || whole % segment != 0 || whole / segment >= MaxSegments
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
