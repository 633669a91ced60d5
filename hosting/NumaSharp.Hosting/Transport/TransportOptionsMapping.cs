using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Transport;

/// <summary>Converts the section <c>Numa:Transport</c> to the transport's own options.</summary>
internal static class TransportOptionsMapping
{
    public static EpollTransportOptions ToEpoll(
        this NumaTransportOptions options, StopLimit? stopLimit = null, Action<NumaEventLoop>? manyHandOvers = null)
    {
        var items = options.Endpoints.Select(item => (Address: AddressOf(item), Options: SocketsOf(options, item))).ToArray();
        var epoll = new EpollTransportOptions
        {
            Dispatch = options.Dispatch,
            Steering = options.Steering,
            StallThreshold = options.StallThreshold,
            SharePort = options.SharePort,
            EpollBusyPoll = options.EpollBusyPoll,
            EpollBusyPollBudget = options.EpollBusyPollBudget,
            EpollPreferBusyPoll = options.EpollPreferBusyPoll,
            MaxReadBufferSize = options.MaxReadBufferSize,
            MaxWriteBufferSize = options.MaxWriteBufferSize,
            WaitForDataBeforeAllocatingBuffer = options.WaitForDataBeforeAllocatingBuffer,
            ManyHandOvers = manyHandOvers,
            EndPointOptions = endPoint => Array.Find(items, item => item.Address.Matches(endPoint)).Options,
        };
        Fill(epoll, options, new NumaTransportEndpointOptions());
        epoll.StopLimit = stopLimit ?? epoll.StopLimit;
        return epoll;
    }

    // Already checked with the settings; code may have changed it since.
    private static EndpointAddress AddressOf(NumaTransportEndpointOptions item) =>
        EndpointAddress.TryParse(item.Address, out var address)
            ? address!
            : throw new ArgumentException($"'{item.Address}' names no end point.", nameof(item));

    private static EpollSocketOptions SocketsOf(NumaTransportOptions all, NumaTransportEndpointOptions item)
    {
        var sockets = new EpollSocketOptions();
        Fill(sockets, all, item);
        return sockets;
    }

    private static void Fill(EpollSocketOptions sockets, NumaTransportOptions all, NumaTransportEndpointOptions own)
    {
        sockets.Backlog = own.Backlog ?? all.Backlog;
        sockets.NoDelay = own.NoDelay ?? all.NoDelay;
        sockets.DeferAccept = own.DeferAccept ?? all.DeferAccept;
        sockets.FastOpen = own.FastOpen ?? all.FastOpen;
        sockets.UserTimeout = own.UserTimeout ?? all.UserTimeout;
        sockets.KeepAlive = own.KeepAlive ?? all.KeepAlive;
        sockets.KeepAliveTime = own.KeepAliveTime ?? all.KeepAliveTime;
        sockets.KeepAliveInterval = own.KeepAliveInterval ?? all.KeepAliveInterval;
        sockets.KeepAliveRetryCount = own.KeepAliveRetryCount ?? all.KeepAliveRetryCount;
        sockets.BusyPoll = own.BusyPoll ?? all.BusyPoll;
        sockets.ReceiveBufferSize = own.ReceiveBufferSize ?? all.ReceiveBufferSize;
        sockets.SendBufferSize = own.SendBufferSize ?? all.SendBufferSize;
    }
}
