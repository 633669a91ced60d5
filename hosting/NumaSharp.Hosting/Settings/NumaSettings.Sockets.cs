using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Configuration;

/// <content>The socket options: each for all end points, and again for single ones in <c>Transport:Endpoints</c>.</content>
internal static partial class NumaSettings
{
    private const string Endpoints = "Transport:Endpoints";

    private static Setting[] Sockets()
    {
        (Setting OfAll, Setting OfSome)[] options = [.. QueueOptions(), .. KeepAliveOptions(), .. BufferOptions()];
        return
        [
            .. options.Select(static option => option.OfAll),
            new ItemSetting<NumaTransportEndpointOptions, string>(
                Endpoints, "Address", new EndpointAddressFormat(), static o => o.Transport.Endpoints,
                static e => e.Address, static (e, v) => e.Address = v,
                "The end points that the item applies to; the first item that names an end point counts."),
            .. options.Select(static option => option.OfSome),
        ];
    }

    private static (Setting OfAll, Setting OfSome)[] QueueOptions() =>
    [
        Socket("Backlog", new IntegerFormat(1, 65535), static o => o.Backlog, static (o, v) => o.Backlog = v,
            "How many connections may wait to be accepted, per listening socket; the kernel caps it at net.core.somaxconn."),
        Socket("NoDelay", s_flag, static o => o.NoDelay, static (o, v) => o.NoDelay = v,
            "Sends small segments at once (TCP_NODELAY)."),
        Socket("DeferAccept", Duration(TimeSpan.FromSeconds(1), TimeSpan.FromHours(1), "at once"),
            static o => o.DeferAccept, static (o, v) => o.DeferAccept = v,
            "How long to delay accepting a client that has not sent data yet (TCP_DEFER_ACCEPT)."),
        Socket("FastOpen", new IntegerFormat(0, 65535), static o => o.FastOpen, static (o, v) => o.FastOpen = v,
            "How many connections with data in their first packet may wait (TCP_FASTOPEN); needs bit 2 of "
            + "net.ipv4.tcp_fastopen. 0: none."),
    ];

    private static (Setting OfAll, Setting OfSome)[] KeepAliveOptions() =>
    [
        Socket("UserTimeout", Duration(TimeSpan.FromMilliseconds(1), TimeSpan.FromDays(1)),
            static o => o.UserTimeout, static (o, v) => o.UserTimeout = v,
            "How long sent data may stay unacknowledged before the connection is ended (TCP_USER_TIMEOUT)."),
        Socket("KeepAlive", s_flag, static o => o.KeepAlive, static (o, v) => o.KeepAlive = v,
            "Probes silent clients (SO_KEEPALIVE)."),
        Socket("KeepAliveTime", Duration(TimeSpan.FromSeconds(1), s_longestProbe),
            static o => o.KeepAliveTime, static (o, v) => o.KeepAliveTime = v,
            "How long a client is silent before KeepAlive probes it (TCP_KEEPIDLE)."),
        Socket("KeepAliveInterval", Duration(TimeSpan.FromSeconds(1), s_longestProbe),
            static o => o.KeepAliveInterval, static (o, v) => o.KeepAliveInterval = v,
            "The time between unanswered probes of KeepAlive (TCP_KEEPINTVL)."),
        Socket("KeepAliveRetryCount", new IntegerFormat(0, 127),
            static o => o.KeepAliveRetryCount, static (o, v) => o.KeepAliveRetryCount = v,
            "How many unanswered probes of KeepAlive end the connection (TCP_KEEPCNT). 0: the system's."),
    ];

    private static (Setting OfAll, Setting OfSome)[] BufferOptions() =>
    [
        Socket("BusyPoll", Duration(TimeSpan.FromMicroseconds(1), TimeSpan.FromSeconds(1)),
            static o => o.BusyPoll, static (o, v) => o.BusyPoll = v,
            "How long a receive without data polls the network device (SO_BUSY_POLL); more than net.core.busy_read needs "
            + "CAP_NET_ADMIN."),
        Socket("ReceiveBufferSize", SocketBuffer("the kernel adapts it"),
            static o => o.ReceiveBufferSize, static (o, v) => o.ReceiveBufferSize = (int?)v,
            "The kernel's receive buffer (SO_RCVBUF); the kernel caps it at net.core.rmem_max."),
        Socket("SendBufferSize", SocketBuffer("the kernel adapts it"),
            static o => o.SendBufferSize, static (o, v) => o.SendBufferSize = (int?)v,
            "The kernel's buffer for unacknowledged data (SO_SNDBUF); the kernel caps it at net.core.wmem_max."),
    ];

    private static DurationFormat Duration(TimeSpan minimum, TimeSpan maximum, string zero = "the system's") =>
        new(minimum, maximum, zero);

    private static SizeFormat SocketBuffer(string zero = "the system's") =>
        new(KernelBuffer.Minimum, KernelBuffer.Maximum, zero);

    private static (Setting OfAll, Setting OfSome) Socket<T>(
        string name,
        SettingFormat<T> format,
        Func<EpollSocketOptions, T?> get,
        Action<EpollSocketOptions, T?> set,
        string description)
        where T : struct =>
    (
        Of(
            $"Transport:{name}", format, o => get(o.Transport) ?? get(EpollTransportOptions.Defaults).GetValueOrDefault(),
            (o, v) => set(o.Transport, v), description),
        new ItemSetting<NumaTransportEndpointOptions, T?>(
            Endpoints, name, new OptionalFormat<T>(format), static o => o.Transport.Endpoints, get, set,
            $"As Transport:{name}, which applies if this is not set."));
}
