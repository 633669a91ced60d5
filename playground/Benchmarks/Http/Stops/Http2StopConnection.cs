using System.Buffers.Binary;
using System.Text;

namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>
/// HTTP/2 without TLS, by prior knowledge, one stream at a time. A stream above the last one of a GOAWAY was not looked at (RFC
/// 9113, 6.8), and one that ends with REFUSED_STREAM was not either (8.7).
/// </summary>
internal sealed class Http2StopConnection(int port) : StopConnection(port)
{
    private const byte Data = 0;
    private const byte Headers = 1;
    private const byte Reset = 3;
    private const byte Settings = 4;
    private const byte Ping = 6;
    private const byte GoAway = 7;
    private const byte WindowUpdate = 8;
    private const byte Acknowledged = 1;
    private const byte EndOfStream = 1;
    private const byte EndOfHeaders = 4;
    private const int RefusedStream = 7;
    private const int HeadBytes = 9;

    // HPACK's static table: ":status: 200".
    private const byte StatusOk = 0x88;

    // Of all answers in all: the server never waits for room.
    private const int Window = 1 << 30;

    // HPACK's static table: GET, http; literals that are not kept: path, authority.
    private static readonly byte[] s_fields =
    [
        0x82, 0x86,
        0x04, (byte)Path.Length, .. Encoding.ASCII.GetBytes(Path),
        0x01, (byte)Host.Length, .. Encoding.ASCII.GetBytes(Host),
    ];

    private int _stream = -1;
    private int _bodyBytes;
    private int _lastServed = int.MaxValue;
    private bool _isGoingAway;

    protected override byte[]? Opening { get; } =
    [
        .. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8,
        .. Frame(Settings, 0, 0, []),
        .. Frame(WindowUpdate, 0, 0, BigEndian(Window)),
    ];

    protected override byte[] NextRequest()
    {
        _stream += 2;
        _bodyBytes = 0;
        return Frame(Headers, EndOfStream | EndOfHeaders, _stream, s_fields);
    }

    protected override async Task<StopOutcome> ReceiveAnswerAsync(CancellationToken cancellation)
    {
        StopOutcome? outcome = null;
        while (true)
        {
            while (TryTakeFrame(out var type, out var flags, out var stream, out var payload))
            {
                outcome = (stream == _stream ? OutcomeOf(type, flags, payload) : null) ?? outcome;
                await ObeyAsync(type, flags, payload, cancellation);
            }

            if (outcome is null && _stream > _lastServed)
            {
                return StopOutcome.Refused;
            }

            if (outcome is not null)
            {
                return outcome == StopOutcome.Answered && _isGoingAway ? StopOutcome.AnsweredLast : outcome.Value;
            }

            if (!await TryReceiveAsync(cancellation))
            {
                return StopOutcome.Lost;
            }
        }
    }

    private static byte[] Frame(byte type, byte flags, int stream, ReadOnlySpan<byte> payload)
    {
        var frame = new byte[HeadBytes + payload.Length];
        BinaryPrimitives.WriteInt32BigEndian(frame, payload.Length << 8);
        (frame[3], frame[4]) = (type, flags);
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(5), stream);
        payload.CopyTo(frame.AsSpan(HeadBytes));
        return frame;
    }

    private static byte[] BigEndian(int value)
    {
        var bytes = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return bytes;
    }

    private bool TryTakeFrame(out byte type, out byte flags, out int stream, out byte[] payload)
    {
        (type, flags, stream, payload) = (0, 0, 0, []);
        var received = Received;
        if (received.Length < HeadBytes
            || received.Length - HeadBytes < BinaryPrimitives.ReadInt32BigEndian(received) >>> 8)
        {
            return false;
        }

        payload = new byte[BinaryPrimitives.ReadInt32BigEndian(received) >>> 8];
        (type, flags) = (received[3], received[4]);
        stream = BinaryPrimitives.ReadInt32BigEndian(received[5..]) & int.MaxValue;
        received.Slice(HeadBytes, payload.Length).CopyTo(payload);
        Consume(HeadBytes + payload.Length);
        return true;
    }

    // Of a frame of the request's own stream; null while the stream continues.
    private StopOutcome? OutcomeOf(byte type, byte flags, byte[] payload)
    {
        switch (type)
        {
            case Headers when payload is not [StatusOk, ..]:
                throw new BenchmarkException($"{Path} answers something else than status 200 over HTTP/2");
            case Data:
                _bodyBytes += payload.Length;
                break;
            case Reset:
                return BinaryPrimitives.ReadInt32BigEndian(payload) == RefusedStream ? StopOutcome.Refused : StopOutcome.Lost;
        }

        if (type is not (Headers or Data) || (flags & EndOfStream) == 0)
        {
            return null;
        }

        return _bodyBytes == Body.Length
            ? StopOutcome.Answered
            : throw new BenchmarkException($"{Path} answers {_bodyBytes} bytes over HTTP/2");
    }

    // A send that fails says nothing yet: what the server has sent before may still be read.
    private async Task ObeyAsync(byte type, byte flags, byte[] payload, CancellationToken cancellation)
    {
        if (type == GoAway)
        {
            _isGoingAway = true;
            _lastServed = BinaryPrimitives.ReadInt32BigEndian(payload) & int.MaxValue;
        }
        else if (type is Settings or Ping && (flags & Acknowledged) == 0)
        {
            _ = await TrySendAsync(Frame(type, Acknowledged, 0, type == Ping ? payload : []), cancellation);
        }
    }
}
