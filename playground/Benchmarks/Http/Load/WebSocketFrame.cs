using System.Buffers.Binary;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Single, final frames of up to 64 KB - 1 (RFC 6455, section 5.2).</summary>
internal static class WebSocketFrame
{
    public const byte Text = 1;
    public const byte Binary = 2;
    public const byte Close = 8;

    private const byte Final = 0x80;
    private const byte Masked = 0x80;
    private const byte LengthFollows = 126;

    /// <summary>What a server sends: the payload as it is.</summary>
    public static byte[] FromServer(byte opcode, ReadOnlySpan<byte> payload) =>
        [.. Header(opcode, payload.Length, 0), .. payload];

    /// <summary>What a client sends: masked by four bytes in turn (section 5.3).</summary>
    public static byte[] FromClient(byte opcode, ReadOnlySpan<byte> payload, ReadOnlySpan<byte> mask)
    {
        byte[] frame = [.. Header(opcode, payload.Length, Masked), .. mask, .. payload];
        var masked = frame.AsSpan(frame.Length - payload.Length);
        for (var i = 0; i < masked.Length; i++)
        {
            masked[i] ^= mask[i % mask.Length];
        }

        return frame;
    }

    private static byte[] Header(byte opcode, int length, byte maskBit)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, ushort.MaxValue);
        if (length < LengthFollows)
        {
            return [(byte)(Final | opcode), (byte)(maskBit | length)];
        }

        byte[] header = [(byte)(Final | opcode), (byte)(maskBit | LengthFollows), 0, 0];
        BinaryPrimitives.WriteUInt16BigEndian(header.AsSpan(2), (ushort)length);
        return header;
    }
}
