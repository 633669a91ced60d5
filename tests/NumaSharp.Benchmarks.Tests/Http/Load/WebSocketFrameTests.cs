using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Benchmarks.Tests.Http.Load;

public sealed class WebSocketFrameTests
{
    // The examples of RFC 6455, section 5.7.
    [Fact]
    public void FromServer_Hello_IsTheStandardsExample() =>
        Assert.Equal("81-05-48-65-6C-6C-6F", BitConverter.ToString(WebSocketFrame.FromServer(WebSocketFrame.Text, "Hello"u8)));

    [Fact]
    public void FromClient_Hello_IsTheStandardsExample() => Assert.Equal(
        "81-85-37-FA-21-3D-7F-9F-4D-51-58",
        BitConverter.ToString(WebSocketFrame.FromClient(WebSocketFrame.Text, "Hello"u8, [0x37, 0xfa, 0x21, 0x3d])));

    [Fact]
    public void FromServer_256Bytes_HasTheLengthInTwoBytes() => Assert.Equal(
        "82-7E-01-00", BitConverter.ToString(WebSocketFrame.FromServer(WebSocketFrame.Binary, new byte[256]), 0, 4));

    [Fact]
    public void FromServer_TooLong_Throws() => Assert.Throws<ArgumentOutOfRangeException>(
        () => WebSocketFrame.FromServer(WebSocketFrame.Binary, new byte[65536]));
}
