using System.Runtime.InteropServices;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Tests.Interop;

/// <summary>Sizes and offsets of the structs of 64-bit Linux (x64 and arm64 agree on them).</summary>
public sealed unsafe class LayoutTests
{
    [Fact]
    public void IoVector_IsStructIovec()
    {
        Assert.Equal(16, sizeof(IoVector));
        Assert.Equal(8, Offset<IoVector>(nameof(IoVector.Length)));
    }

    [Fact]
    public void MessageHeader_IsStructMsghdr()
    {
        Assert.Equal(56, sizeof(MessageHeader));
        Assert.Equal(8, Offset<MessageHeader>(nameof(MessageHeader.NameLength)));
        Assert.Equal(16, Offset<MessageHeader>(nameof(MessageHeader.Vectors)));
        Assert.Equal(24, Offset<MessageHeader>(nameof(MessageHeader.VectorCount)));
        Assert.Equal(32, Offset<MessageHeader>(nameof(MessageHeader.Control)));
        Assert.Equal(40, Offset<MessageHeader>(nameof(MessageHeader.ControlLength)));
        Assert.Equal(48, Offset<MessageHeader>(nameof(MessageHeader.Flags)));
    }

    [Fact]
    public void Linger_IsStructLinger() => Assert.Equal(8, sizeof(Linger));

    [Fact]
    public void ResourceLimit_IsStructRlimit() => Assert.Equal(16, sizeof(StreamCalls.ResourceLimit));

    private static int Offset<T>(string field) => (int)Marshal.OffsetOf<T>(field);
}
