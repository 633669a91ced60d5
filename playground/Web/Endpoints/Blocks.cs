namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>Content made once; the byte at position i is i modulo 251, a prime, so that a shifted block is detected.</summary>
internal static class Blocks
{
    public const int BigBlockSizeBytes = 64 * 1024;
    private const int PreparedBytes = 1024 * 1024;
    private const int Period = 251;

    public static ReadOnlyMemory<byte> Prepared { get; } = Make(PreparedBytes);

    public static ReadOnlyMemory<byte> Big { get; } = Make(BigBlockSizeBytes);

    /// <summary>Sends a block again and again up to the length; false when the client left before that.</summary>
    public static async Task<bool> RepeatAsync(HttpContext context, ReadOnlyMemory<byte> block, long length)
    {
        context.Response.ContentType = Reply.Binary;
        context.Response.ContentLength = length;
        var writer = context.Response.BodyWriter;
        var aborted = context.RequestAborted;
        for (var left = length; left > 0; left -= block.Length)
        {
            var flush = await writer.WriteAsync(left >= block.Length ? block : block[..(int)left], aborted);
            if (flush.IsCompleted)
            {
                return false;
            }
        }

        return true;
    }

    private static byte[] Make(int length)
    {
        var bytes = new byte[length];
        for (var i = 0; i < length; i++)
        {
            bytes[i] = (byte)(i % Period);
        }

        return bytes;
    }
}
