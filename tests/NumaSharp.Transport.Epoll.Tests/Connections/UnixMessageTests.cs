using System.Buffers;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>
/// Where a receive from a Unix socket ends although more is there: behind a message with descriptors (unix(7), SCM_RIGHTS),
/// between senders that are to be distinguished (SO_PASSCRED), before urgent data. What follows has had its event by then.
/// </summary>
public sealed class UnixMessageTests
{
    private const int SO_PASSCRED = 16;

    private readonly LateThread _late = new();

    public static TheoryData<EpollDispatchMode> Modes =>
        [EpollDispatchMode.Inline, EpollDispatchMode.Adaptive, EpollDispatchMode.Node, EpollDispatchMode.ThreadPool];

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Read_DescriptorsBetweenBytes_AllBytesArrive(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        await AssertArriveAsync(pair, "abcdefg", () =>
        {
            Send(pair.Client, "a");
            SendWithDescriptor(pair.Client, "b");
            SendWithDescriptor(pair.Client, "c");
            Send(pair.Client, "de");
            SendWithDescriptor(pair.Client, "f");
            Send(pair.Client, "g");
        });
        await AssertArriveAsync(pair, "hi", () => Send(pair.Client, "hi"));
    }

    // What was sent before the option has no sender, and no receive takes it together with what has one.
    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Read_SendersAreDistinguished_AllBytesArrive(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        await AssertArriveAsync(pair, "abc", () =>
        {
            Send(pair.Client, "a");
            Assert.True(pair.Server.Socket.SetOption(SocketCalls.SOL_SOCKET, SO_PASSCRED, 1).Succeeded);
            Send(pair.Client, "bc");
        });
        await AssertArriveAsync(pair, "d", () => Send(pair.Client, "d"));
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Read_UrgentDataBetweenBytes_AllOthersArrive(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        await AssertArriveAsync(pair, "abc", () =>
        {
            Send(pair.Client, "a");
            SendUrgent(pair.Client, "x");
            Send(pair.Client, "bc");
        });
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task End_BytesAreUnread_IsReportedAndTheBytesArrive(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        using (new HeldLoop(pair.Server.Shard.Loop))
        {
            Send(pair.Client, "a");
            SendWithDescriptor(pair.Client, "b");
            Send(pair.Client, "c");
            pair.Client.Shutdown(SocketShutdown.Send);
        }

        await pair.Server.ConnectionClosed.Within("the end is reported, though nothing is read");
        var read = await pair.Input.ReadAtLeastAsync(4).Within("what is in front of the end");
        Assert.Equal("abc", Encoding.ASCII.GetString(read.Buffer));
        Assert.True(read.IsCompleted);
        pair.Input.AdvanceTo(read.Buffer.End);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task End_WhileAReadWaits_ComesBehindTheBytes(EpollDispatchMode dispatch)
    {
        await using var pair = await ConnectAsync(dispatch);
        var reading = pair.Input.ReadAtLeastAsync(3).AsTask();
        using (new HeldLoop(pair.Server.Shard.Loop))
        {
            SendWithDescriptor(pair.Client, "a");
            Send(pair.Client, "b");
            pair.Client.Dispose();
        }

        var read = await reading.Within("the bytes and the end");
        Assert.Equal("ab", Encoding.ASCII.GetString(read.Buffer));
        Assert.True(read.IsCompleted);
        pair.Input.AdvanceTo(read.Buffer.End);
    }

    // Many short sends, each of which continues when the peer has read.
    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Write_MoreThanTheSocketTakes_ArrivesAsThePeerReads(EpollDispatchMode dispatch)
    {
        const int Total = 4 << 20;
        await using var pair = await ConnectAsync(dispatch);
        var writing = Task.Run(async () =>
        {
            for (var sent = 0; sent < Total; sent += Pattern.LongestPiece)
            {
                await pair.Output.WriteAsync(Pattern.At(sent, Pattern.LongestPiece));
            }

            await pair.Output.CompleteAsync();
        });
        var buffer = new byte[10_000];
        var received = 0;
        int count;
        while ((count = await pair.Client.ReceiveAsync(buffer).Within("the next bytes")) > 0)
        {
            Pattern.Verify(buffer.AsSpan(0, count), received);
            received += count;
        }

        Assert.Equal(Total, received);
        await writing.Within("the writer ends");
    }

    private Task<RawPair> ConnectAsync(EpollDispatchMode dispatch) => RawPair.ConnectAsync(
        new EpollTransportOptions { Dispatch = dispatch, ConfigureLoops = _late.Configure },
        endPoint: new UnixDomainSocketEndPoint(UnixPath.New()));

    // All at once: the loop gets one event for it.
    private static async Task AssertArriveAsync(RawPair pair, string text, Action send)
    {
        var reading = pair.Input.ReadAtLeastAsync(text.Length).AsTask();
        using (new HeldLoop(pair.Server.Shard.Loop))
        {
            send();
        }

        var read = await reading.Within("all bytes");
        Assert.Equal(text, Encoding.ASCII.GetString(read.Buffer));
        pair.Input.AdvanceTo(read.Buffer.End);

        // The loop's thread may have come here, and the loop is to be held again.
        await Task.Yield();
    }

    private static void Send(Socket socket, string text) => socket.Send(Encoding.ASCII.GetBytes(text));

    private static void SendUrgent(Socket socket, string text)
    {
        try
        {
            socket.Send(Encoding.ASCII.GetBytes(text), SocketFlags.OutOfBand);
        }
        catch (SocketException unknown) when (unknown.SocketErrorCode == SocketError.OperationNotSupported)
        {
            Assert.Skip("Urgent data on Unix sockets needs Linux 5.15.");
        }
    }

    // The descriptor is the socket's own; the receiver has no room for it and drops it.
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
