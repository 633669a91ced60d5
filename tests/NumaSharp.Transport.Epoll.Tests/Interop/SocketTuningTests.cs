using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

/// <summary>Every option, read back from the kernel; the levels and names are the kernel's own numbers.</summary>
public sealed class SocketTuningTests : IDisposable
{
    private const int Tcp = 6;
    private const int SocketLevel = 1;
    private const int ReceiveBuffer = 8;
    private const int BusyPoll = 46;

    private readonly NumaFallbacks _fallbacks = new();
    private readonly Socket _client = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public SocketTuningTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    /// <summary>Option, and what the kernel says of listening and accepted socket.</summary>
    public static TheoryData<EpollSocketOptions, int, int, int> Inherited => new()
    {
        { new(), Tcp, 1, 1 },
        { new() { NoDelay = true }, Tcp, 1, 1 },
        { new() { NoDelay = false }, Tcp, 1, 0 },
        { new() { UserTimeout = TimeSpan.FromMilliseconds(1234) }, Tcp, 18, 1234 },
        { new() { KeepAlive = true }, SocketLevel, 9, 1 },
        { new() { KeepAlive = false, KeepAliveTime = TimeSpan.FromSeconds(77) }, SocketLevel, 9, 0 },
        { new() { KeepAlive = true, KeepAliveTime = TimeSpan.FromSeconds(77) }, Tcp, 4, 77 },
        { new() { KeepAlive = true, KeepAliveTime = TimeSpan.FromMilliseconds(76001) }, Tcp, 4, 77 },
        { new() { KeepAlive = true, KeepAliveInterval = TimeSpan.FromSeconds(11) }, Tcp, 5, 11 },
        { new() { KeepAlive = true, KeepAliveRetryCount = 3 }, Tcp, 6, 3 },
        { new() { ReceiveBufferSize = 16384 }, SocketLevel, ReceiveBuffer, 32768 },
        { new() { SendBufferSize = 16384 }, SocketLevel, 7, 32768 },
    };

    public void Dispose() => _client.Dispose();

    [Theory]
    [MemberData(nameof(Inherited), DisableDiscoveryEnumeration = true)]
    public void ApplyToListening_Option_IsOnListeningAndAcceptedSocket(
        EpollSocketOptions options, int level, int name, int expected)
    {
        using var listening = Listen(options, out var bound);
        using var accepted = Accept(listening, bound);

        Assert.Equal((expected, expected), (Read(listening, level, name), Read(accepted, level, name)));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void ApplyToListening_DeferAccept_WaitsForTheFirstByte()
    {
        using var listening = Listen(new() { DeferAccept = TimeSpan.FromHours(1) }, out var bound);

        // The kernel counts in retransmissions, of at most two minutes each, and rounds up.
        Assert.InRange(Read(listening, Tcp, name: 9), 3600, 3720);
        _client.Connect(bound);
        Assert.True(listening.Accept(bound, out _, out _).IsAgain);
        _client.Send([1]);
        using var accepted = AcceptWhenThere(listening, bound);
        Assert.NotNull(accepted);
    }

    [Fact]
    public void ApplyToListening_FastOpen_HasTheQueue()
    {
        using var listening = Listen(new() { FastOpen = 8 }, out _);

        Assert.Equal(8, Read(listening, Tcp, name: 23));
    }

    [Fact]
    public void ApplyToListening_BusyPoll_IsSetOrReported()
    {
        var mayBeSet = MaySetBusyPoll(microseconds: 50);
        using var listening = Listen(new() { BusyPoll = TimeSpan.FromMicroseconds(50) }, out _);

        if (mayBeSet)
        {
            Assert.Empty(_fallbacks.Current);
            Assert.Equal(50, Read(listening, SocketLevel, BusyPoll));
        }
        else
        {
            var refused = Assert.Single(_fallbacks.Current);
            Assert.Equal("transport.busypoll", refused.Feature);
            Assert.Contains("SO_BUSY_POLL = 50 for a test was refused (E", refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void ApplyToListening_LargestBuffer_IsThereOrReportedAndServed()
    {
        const int Largest = 512 << 20;
        var expected = ReceiveBufferOfTheBcl(Largest);
        using var listening = Listen(new() { ReceiveBufferSize = Largest }, out var bound);
        using var accepted = Accept(listening, bound);

        // The kernel doubles what it is asked for.
        Assert.Equal(expected, Read(accepted, SocketLevel, ReceiveBuffer));
        if (expected == 2 * Largest)
        {
            Assert.Empty(_fallbacks.Current);
            return;
        }

        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal("transport.receivebuffer", fallback.Feature);
        Assert.Contains($"is {expected / 2} bytes instead of {Largest}.", fallback.Message, StringComparison.Ordinal);
        Assert.Contains("net.core.rmem_max", fallback.Remedy, StringComparison.Ordinal);
    }

    [Fact]
    public void ApplyToListening_OptionThatIsRefused_IsReportedOnceAndServed()
    {
        // TCP's options are refused by a socket that is not TCP's.
        StreamSocket.Create(AddressFamily.Unix, out var socket);
        using (socket)
        {
            var tuning = new SocketTuning([new() { UserTimeout = TimeSpan.FromSeconds(1) }], "a test", new(_fallbacks, this));
            tuning.ApplyToListening(socket!, AddressFamily.InterNetwork);
            tuning.ApplyToListening(socket!, AddressFamily.InterNetwork);
        }

        Assert.Equal(["transport.nodelay", "transport.usertimeout"], _fallbacks.Current.Select(static f => f.Feature));
        Assert.Equal(
            [
                "TCP_NODELAY = True for a test was refused (EOPNOTSUPP). The socket keeps its own setting.",
                "TCP_USER_TIMEOUT = 1000 for a test was refused (EOPNOTSUPP). The system's setting applies.",
            ],
            _fallbacks.Current.Select(static fallback => fallback.Message));
    }

    [Fact]
    public void ApplyToAccepted_UnixSocket_HasItsOwnBuffers()
    {
        var name = new UnixDomainSocketEndPoint($"\0numasharp-{Path.GetRandomFileName()}");
        var tuning = new SocketTuning([new() { SendBufferSize = 16384 }], "a test", new(_fallbacks, this));
        using var listening = UnixListenerSocket.Listen(name, tuning, out var file, out _);
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.Connect(name);
        Assert.True(listening.Accept(name, out var accepted, out _).Succeeded);
        using (accepted)
        {
            tuning.ApplyToAccepted(accepted!, AddressFamily.Unix);
            Assert.Equal(32768, Read(accepted!, SocketLevel, name: 7));
        }

        Assert.Null(file);
        Assert.Empty(_fallbacks.Current);
    }

    [Theory]
    [InlineData(nameof(EpollSocketOptions.Backlog), 0)]
    [InlineData(nameof(EpollSocketOptions.FastOpen), -1)]
    [InlineData(nameof(EpollSocketOptions.KeepAliveRetryCount), 128)]
    [InlineData(nameof(EpollSocketOptions.ReceiveBufferSize), 4095)]
    [InlineData(nameof(EpollSocketOptions.SendBufferSize), (512 << 20) + 1)]
    public void Validate_NumberOutsideItsRange_Throws(string name, int value) => ExpectRefused(name, value);

    [Theory]
    [InlineData(nameof(EpollSocketOptions.DeferAccept), 0.5)]
    [InlineData(nameof(EpollSocketOptions.UserTimeout), 86401)]
    [InlineData(nameof(EpollSocketOptions.KeepAliveTime), 32768)]
    [InlineData(nameof(EpollSocketOptions.KeepAliveInterval), -1)]
    [InlineData(nameof(EpollSocketOptions.BusyPoll), 1.5)]
    public void Validate_TimeOutsideItsRange_Throws(string name, double seconds) =>
        ExpectRefused(name, TimeSpan.FromSeconds(seconds));

    private static void ExpectRefused(string name, object value)
    {
        var options = new EpollSocketOptions();
        typeof(EpollSocketOptions).GetProperty(name)!.SetValue(options, value);

        Assert.Contains(name, Assert.Throws<ArgumentOutOfRangeException>(options.Validate).Message, StringComparison.Ordinal);
    }

    // As a socket of the BCL may: it takes CAP_NET_ADMIN, and a kernel with CONFIG_NET_RX_BUSY_POLL.
    private static bool MaySetBusyPoll(int microseconds)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.SetRawSocketOption(SocketLevel, BusyPoll, BitConverter.GetBytes(microseconds));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static int ReceiveBufferOfTheBcl(int size)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.SetRawSocketOption(SocketLevel, ReceiveBuffer, BitConverter.GetBytes(size));
        var value = new byte[sizeof(int)];
        socket.GetRawSocketOption(SocketLevel, ReceiveBuffer, value);
        return BitConverter.ToInt32(value);
    }

    private static int Read(StreamSocket socket, int level, int name)
    {
        Assert.True(socket.GetOption(level, name, out var value).Succeeded);
        return value;
    }

    private StreamSocket Listen(EpollSocketOptions options, out IPEndPoint bound)
    {
        var tuning = new SocketTuning([options], "a test", new(_fallbacks, this));
        return Assert.Single(ListenerSockets.Listen(new(IPAddress.Loopback, 0), 1, tuning, isShared: false, out bound));
    }

    private StreamSocket Accept(StreamSocket listening, IPEndPoint bound)
    {
        _client.Connect(bound);
        return AcceptWhenThere(listening, bound);
    }

    // The client's connect has returned, and on loopback the connection is in the queue then; data may take a moment longer.
    private static StreamSocket AcceptWhenThere(StreamSocket listening, IPEndPoint bound)
    {
        StreamSocket? accepted = null;
        Wait.Until(() => listening.Accept(bound, out accepted, out _).Succeeded);
        return accepted!;
    }
}
