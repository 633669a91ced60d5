using System.Buffers.Binary;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

/// <summary>A frame as it was on the wire.</summary>
internal sealed record Http2Frame(Http2FrameType Type, byte Flags, int Stream, byte[] Payload)
{
    public const int HeadLength = 9;

    /// <summary>END_STREAM of HEADERS and DATA, ACK of SETTINGS and PING.</summary>
    public const byte EndStreamOrAck = 1;

    public const byte EndHeaders = 4;

    public bool EndsStream => Type is Http2FrameType.Headers or Http2FrameType.Data && (Flags & EndStreamOrAck) != 0;

    public bool IsAck => Type is Http2FrameType.Settings or Http2FrameType.Ping && (Flags & EndStreamOrAck) != 0;

    /// <summary>What GOAWAY says: the last stream that the server has taken.</summary>
    public int LastStream => BinaryPrimitives.ReadInt32BigEndian(Payload);

    /// <summary>What GOAWAY and RST_STREAM say.</summary>
    public int ErrorCode => BinaryPrimitives.ReadInt32BigEndian(Payload.AsSpan(Type == Http2FrameType.GoAway ? 4 : 0));

    public byte[] ToBytes()
    {
        var bytes = new byte[HeadLength + Payload.Length];
        BinaryPrimitives.WriteInt32BigEndian(bytes, Payload.Length << 8);
        (bytes[3], bytes[4]) = ((byte)Type, Flags);
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(5), Stream);
        Payload.CopyTo(bytes, HeadLength);
        return bytes;
    }
}
