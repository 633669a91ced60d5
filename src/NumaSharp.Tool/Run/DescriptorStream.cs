using System.Globalization;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>
/// Standard output or error without the console's stream, which hides that the reader of a pipe has gone, and prepares terminals
/// for reading keys.
/// </summary>
internal sealed class DescriptorStream(int descriptor) : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Whether two descriptors are the same file; also true if that is unknown.</summary>
    public static bool AreSame(int left, int right) => TargetOf(left) is not { } target || target == TargetOf(right);

    /// <exception cref="IOException">The reader has gone, or the file is full.</exception>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            var result = ProcessCalls.WritePart(descriptor, buffer);
            if (!result.Succeeded)
            {
                throw new IOException($"write failed: {result.ErrorName}.");
            }

            buffer = buffer[(int)result.Value..];
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    // For a pipe, the link names its inode.
    private static string? TargetOf(int descriptor) =>
        new FileInfo(string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{descriptor}")).LinkTarget;
}
