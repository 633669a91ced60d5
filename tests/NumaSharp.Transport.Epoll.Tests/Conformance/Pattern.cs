using System.Buffers;

namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>
/// Bytes that know their position (position modulo 251, a prime), so that megabytes are checked as they pass and nothing is
/// held: a lost, doubled, or misplaced block shows at its first byte.
/// </summary>
internal static class Pattern
{
    public const int LongestPiece = 64 * 1024;
    private const int Period = 251;
    private static readonly byte[] s_bytes =
        [.. Enumerable.Range(0, LongestPiece + Period).Select(static i => (byte)(i % Period))];

    public static ReadOnlyMemory<byte> At(long position, int length) => s_bytes.AsMemory((int)(position % Period), length);

    public static void Verify(ReadOnlySpan<byte> data, long position)
    {
        while (!data.IsEmpty)
        {
            var piece = data[..Math.Min(data.Length, LongestPiece)];
            var expected = At(position, piece.Length).Span;
            if (!piece.SequenceEqual(expected))
            {
                Assert.Fail($"Wrong byte at position {position + piece.CommonPrefixLength(expected)}.");
            }

            data = data[piece.Length..];
            position += piece.Length;
        }
    }

    public static void Verify(in ReadOnlySequence<byte> data, long position)
    {
        foreach (var segment in data)
        {
            Verify(segment.Span, position);
            position += segment.Length;
        }
    }

    /// <summary>Reads to the end, checks every byte, and returns how many there were.</summary>
    public static async Task<long> VerifyAsync(Stream stream)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(LongestPiece);
        var position = 0L;
        try
        {
            int read;
            while ((read = await stream.ReadAsync(buffer).Within()) > 0)
            {
                Verify(buffer.AsSpan(0, read), position);
                position += read;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        return position;
    }

    public static async Task WriteAsync(Stream stream, long length)
    {
        for (var position = 0L; position < length;)
        {
            var piece = At(position, (int)Math.Min(LongestPiece, length - position));
            await stream.WriteAsync(piece).Within();
            position += piece.Length;
        }
    }
}
