using System.IO.Pipes;
using System.Text;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class LinePrefixerTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("a\n", "> a\n")]
    [InlineData("a", "> a\n")]
    [InlineData("a\nb", "> a\n> b\n")]
    [InlineData("\n\n", "> \n> \n")]
    [InlineData("a\r\n\tb\0\n", "> a\r\n> \tb\0\n")]
    public async Task CopyAsync_Text_HasAPrefixOnEveryLine(string text, string expected)
    {
        Assert.Equal(expected, Encoding.Latin1.GetString(await CopyAsync(Encoding.Latin1.GetBytes(text), int.MaxValue)));
        Assert.Equal(expected, Encoding.Latin1.GetString(await CopyAsync(Encoding.Latin1.GetBytes(text), 1)));
    }

    [Fact]
    public async Task CopyAsync_BytesThatAreNoText_StayAsTheyAre()
    {
        byte[] bytes = [0xFF, 0xC3, (byte)'\n', 0x80, (byte)'\n'];

        Assert.Equal([.. "> "u8, 0xFF, 0xC3, .. "\n> "u8, 0x80, (byte)'\n'], await CopyAsync(bytes, 2));
    }

    [Fact]
    public async Task CopyAsync_LineWithoutEnd_IsBrokenAndNothingIsLost()
    {
        var bytes = new byte[(3 * 1024 * 1024) + 5];
        bytes.AsSpan().Fill((byte)'x');
        var copied = await CopyAsync(bytes, int.MaxValue);

        Assert.Equal(bytes.Length, copied.Count(static b => b == (byte)'x'));
        Assert.InRange(copied.Count(static b => b == (byte)'\n'), 2, 4);
    }

    [Fact]
    public async Task CopyAsync_OutputIsNotRead_ClosesTheSource()
    {
        var source = new ChunkedStream([.. "a\nb\n"u8], 2);
        await new LinePrefixer(new BrokenStream(), new Lock(), [.. "> "u8]).CopyAsync(source);

        Assert.False(source.CanRead);
    }

    // Or the descriptors of every process that was started again stay open until the garbage collector finds them.
    [Fact]
    public async Task CopyAsync_SourceEnds_IsClosed()
    {
        var source = new ChunkedStream([.. "a\n"u8], 1);
        await new LinePrefixer(Stream.Null, new Lock(), [.. "> "u8]).CopyAsync(source);

        Assert.False(source.CanRead);
    }

    [Fact]
    public async Task EndLine_LineIsNotComplete_PassesItOn()
    {
        using var output = new MemoryStream();
        using var source = new AnonymousPipeServerStream(PipeDirection.Out);
        var copy = new LinePrefixer(output, new Lock(), [.. "> "u8]);
        var copying = copy.CopyAsync(new AnonymousPipeClientStream(PipeDirection.In, source.ClientSafePipeHandle));
        source.Write("a"u8);
        await Wait.UntilAsync(() => copy is { Copied: 1, IsWriting: false });
        copy.EndLine();
        copy.EndLine();
        Assert.Equal("> a\n", Encoding.Latin1.GetString(output.ToArray()));

        source.Write("b"u8);
        source.Close();
        await copying;
        Assert.Equal("> a\n> b\n", Encoding.Latin1.GetString(output.ToArray()));
    }

    private static async Task<byte[]> CopyAsync(byte[] bytes, int chunk)
    {
        using var output = new MemoryStream();
        using var source = new ChunkedStream(bytes, chunk);
        await new LinePrefixer(output, new Lock(), [.. "> "u8]).CopyAsync(source);
        return output.ToArray();
    }

    private sealed class ChunkedStream(byte[] bytes, int chunk) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..Math.Min(buffer.Length, chunk)], cancellationToken);
    }

    private sealed class BrokenStream : MemoryStream
    {
        public override void Write(ReadOnlySpan<byte> buffer) => throw new IOException("Broken pipe");
    }
}
