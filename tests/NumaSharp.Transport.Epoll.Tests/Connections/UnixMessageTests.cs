using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using NumaSharp.Scheduling;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Messages with descriptors (unix(7), SCM_RIGHTS): a receive ends with each, however much is behind it.</summary>
public sealed class UnixMessageTests
{
    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Node)]
    public async Task Read_MessagesWithDescriptorsWaiting_AllBytesArrive(EpollDispatchMode dispatch)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var factory = new EpollTransportFactory(scheduler, new EpollTransportOptions { Dispatch = dispatch });
        await using var listener = await factory.BindAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(listener.EndPoint).Within("the connect");
        await using var server = (await listener.AcceptAsync().Within("the accept"))!;
        for (var i = 0; i < 5; i++)
        {
            SendWithDescriptor(client, $"part{i}");
        }

        var read = await server.Transport.Input.ReadAtLeastAsync(25).Within("all parts");
        Assert.Equal("part0part1part2part3part4", Encoding.ASCII.GetString(read.Buffer));
        server.Transport.Input.AdvanceTo(read.Buffer.End);
    }

    // The descriptor is the socket's own; the receiver, who has no room for it, drops it.
    private static unsafe void SendWithDescriptor(Socket socket, string text)
    {
        const int ScmRights = 1;
        var bytes = Encoding.ASCII.GetBytes(text);
        var descriptor = (int)socket.SafeHandle.DangerousGetHandle();
        var control = new ControlMessage
        {
            Length = 20,
            Level = SocketCalls.SOL_SOCKET,
            Type = ScmRights,
            Descriptor = descriptor,
        };
        fixed (byte* start = bytes)
        {
            var vector = new IoVector { Base = start, Length = (nuint)bytes.Length };
            var message = new MessageHeader
            {
                Vectors = &vector,
                VectorCount = 1,
                Control = &control,
                ControlLength = (nuint)sizeof(ControlMessage),
            };
            Assert.Equal(bytes.Length, StreamCalls.SendMessage(descriptor, &message, 0));
        }
    }

    /// <summary>struct cmsghdr with one descriptor, and its padding (cmsg(3)) on 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct ControlMessage
    {
        public nuint Length;
        public int Level;
        public int Type;
        public int Descriptor;
        public int Padding;
    }
}
