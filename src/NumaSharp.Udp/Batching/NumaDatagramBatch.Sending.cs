using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>Sending, which resumes where it stopped when the socket has room again.</content>
public sealed unsafe partial class NumaDatagramBatch
{
    // A datagram of this size passes wherever IPv4 does, so the kernel does not refuse it for its size (RFC 1122: 576 bytes).
    private const int AnySegmentSize = 512;

    // The first message not sent completely, and the number of its bytes that were sent.
    private int _next;
    private int _nextOffset;

    // The message sent as single datagrams although the kernel segments others, and the message that met a pending error.
    private int _uncut;
    private int _retried;

    // The message sent as single datagrams was refused as a whole, for no reason of its own that is known. If they are sent, the
    // kernel does not segment; if not, something else is wrong with them, such as the peer's port.
    private bool _isCutInDoubt;

    private bool _isReceived;

    /// <summary>Begins to send the batch's content. Received messages go back to their senders.</summary>
    internal void BeginSend()
    {
        (_next, _nextOffset, _uncut, _retried, _isCutInDoubt) = (0, 0, -1, -1, false);
        if (!_isReceived)
        {
            return;
        }

        _isReceived = false;
        Span<byte> source = stackalloc byte[ReplySource.MaxSize];
        for (var i = 0; i < _count; i++)
        {
            var length = ReplySource.Of(this, i, source);
            source[..length].CopyTo(new Span<byte>(_messages[i].Header.Control, ControlSize));
            _sources[i] = length;
            _messages[i].Header.Flags = 0;
            _vectors[i].Length = _messages[i].Length;
        }
    }

    /// <summary>Sends the remaining messages.</summary>
    /// <returns>Success if nothing is left; EAGAIN if the socket has no room, and the rest waits.</returns>
    internal SysResult Send(DatagramSocket socket, SegmentationOffload offload, ref SendOutcome outcome)
    {
        while (_next < _count)
        {
            var result = IsCut(_next, offload) ? SendWhole(socket, offload, ref outcome) : SendSplit(socket, ref outcome);
            if (result.IsAgain)
            {
                return result;
            }

            if (result.Succeeded)
            {
                EndDoubt(offload);
            }
            else if (!IsWorthAnotherTry(result, socket, offload, ref outcome))
            {
                Refuse(result, offload, ref outcome);
            }
        }

        return default;
    }

    /// <summary>The number of datagrams that the current send has not sent yet.</summary>
    internal int UnsentCount
    {
        get
        {
            var count = 0;
            for (var i = _next; i < _count; i++)
            {
                count += SegmentsOf((int)_vectors[i].Length - (i == _next ? _nextOffset : 0), _segments[i]);
            }

            return count;
        }
    }

    private bool IsSegmented(int message) => _segments[message] is > 0 and var segment && _messages[message].Length > segment;

    /// <summary>Whether a message is passed to the kernel as one, however many datagrams it holds.</summary>
    private bool IsCut(int message, SegmentationOffload offload) =>
        !IsSegmented(message) || (offload.IsOn && message != _uncut && (message != _next || _nextOffset == 0));

    private SysResult SendWhole(DatagramSocket socket, SegmentationOffload offload, ref SendOutcome outcome)
    {
        var end = _next;
        while (end < _count && IsCut(end, offload))
        {
            Complete(end++);
        }

        var result = socket.Send(_messages + _next, end - _next);
        for (var i = 0; i < result.Value; i++, _next++)
        {
            // The kernel has written the number of bytes sent, which is all of them.
            outcome.Datagrams += SegmentsOf((int)_vectors[_next].Length, _segments[_next]);
            outcome.Bytes += (long)_vectors[_next].Length;
            _retried = -1;
        }

        return result;
    }

    private SysResult SendSplit(DatagramSocket socket, ref SendOutcome outcome)
    {
        ref var whole = ref _vectors[_next];
        var segment = _segments[_next];
        var count = 0;

        // A message sent as one by a process on this machine may hold more datagrams than that, and arrives unchanged.
        for (var offset = _nextOffset; offset < (int)whole.Length && count < MaxSegments; offset += segment)
        {
            ref var header = ref _splitMessages[count].Header;
            ref var original = ref _messages[_next].Header;
            header.Name = original.Name;
            header.NameLength = original.NameLength;
            header.Control = original.Control;
            header.ControlLength = (nuint)_sources[_next];
            _splitVectors[count++] = new IoVector
            {
                Base = whole.Base + offset,
                Length = (nuint)Math.Min(segment, (int)whole.Length - offset),
            };
        }

        var result = socket.Send(_splitMessages, count);
        for (var i = 0; i < result.Value; i++)
        {
            outcome.Datagrams++;
            outcome.Bytes += (long)_splitVectors[i].Length;
            _nextOffset += segment;
            _retried = -1;
        }

        if (_nextOffset >= (int)whole.Length)
        {
            (_next, _nextOffset) = (_next + 1, 0);
        }

        return result;
    }

    private bool IsWorthAnotherTry(
        SysResult result, DatagramSocket socket, SegmentationOffload offload, ref SendOutcome outcome)
    {
        var isCut = IsSegmented(_next) && IsCut(_next, offload);
        if (isCut && result.Errno is Errno.EINVAL or Errno.EMSGSIZE)
        {
            // Not this message: a segment larger than the path to this peer allows is fragmented by IP when sent on its own.
            var segment = _segments[_next];
            _uncut = _next;
            _isCutInDoubt = result.Errno == Errno.EINVAL
                && segment <= AnySegmentSize && (int)_messages[_next].Length <= segment * MaxSegments;
            return true;
        }

        // The peer's reply to an earlier datagram: this one was not sent, and the error is cleared now. Before the next step:
        // anyone who can send ICMP can cause two of its errors.
        if (socket.IsConnected && _retried != _next && PeerErrors.Contains(result.Errno))
        {
            _retried = _next;
            outcome.PeerErrors++;
            return true;
        }

        // The device cannot checksum segments (EIO), or the kernel cannot segment.
        if (isCut && result.Errno is Errno.EIO or Errno.ENOPROTOOPT or Errno.EOPNOTSUPP)
        {
            offload.TurnOff(result);
            return true;
        }

        return false;
    }

    private void EndDoubt(SegmentationOffload offload)
    {
        if (_isCutInDoubt)
        {
            _isCutInDoubt = false;
            offload.TurnOff(SysResult.FromErrno(Errno.EINVAL));
        }
    }

    // With the rest of its message, whose other datagrams are alike, unless the error is one of the moment.
    private void Refuse(SysResult result, SegmentationOffload offload, ref SendOutcome outcome)
    {
        var rest = (int)_vectors[_next].Length - _nextOffset;
        if (!IsCut(_next, offload) && rest > _segments[_next]
            && result.Errno is Errno.ENOBUFS or Errno.ENOMEM or Errno.EPERM)
        {
            outcome.Refused++;
            (_nextOffset, _retried) = (_nextOffset + _segments[_next], -1);
            return;
        }

        outcome.Refused += SegmentsOf(rest, _segments[_next]);
        (_next, _nextOffset, _isCutInDoubt) = (_next + 1, 0, false);
    }

    private void Complete(int message)
    {
        ref var header = ref _messages[message].Header;
        var source = _sources[message];
        header.ControlLength = (nuint)(source + (IsSegmented(message)
            ? ControlMessage.Write(
                (byte*)header.Control + source, UdpCalls.SOL_UDP, UdpCalls.UDP_SEGMENT, (ushort)_segments[message])
            : 0));
    }
}
