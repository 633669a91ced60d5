using NumaSharp.Interop;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>Receiving.</content>
public sealed unsafe partial class NumaDatagramBatch
{
    // More in one call than a core's own cache holds is out of it again before the handler reads it; and copying that much is
    // time in which the loop serves nobody else.
    private const int MaxReceivedAtOnce = 256 << 10;

    private const int FewestAtOnce = 2;

    private int _room;

    /// <summary>Whether the kernel gave as many messages as it was asked for: there may be more.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>Bytes of the datagrams that were received.</summary>
    internal long ReceivedBytes { get; private set; }

    /// <summary>Messages that were longer than a slot, or whose control data was: what the kernel has cut off is lost.</summary>
    internal int TruncatedMessages { get; private set; }

    /// <summary>Receives what is there, in the place of what the batch had.</summary>
    /// <returns>How many messages; EAGAIN for none.</returns>
    internal SysResult Receive(DatagramSocket socket)
    {
        Reset();
        var result = socket.Receive(_messages, _room);
        if (result.Succeeded)
        {
            _count = _used = (int)result.Value;
            _isReceived = true;
            CountReceived();
            IsFull = _count == _room;

            // What comes next will be about as long.
            var mean = Math.Max(1, ReceivedBytes / _count);
            _room = (int)Math.Clamp(MaxReceivedAtOnce / mean, Math.Min(FewestAtOnce, Capacity), Capacity);
        }

        return result;
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
