using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>Sets the options of an end point's sockets.</summary>
/// <param name="options">The options: of several that set the same one, the first counts.</param>
/// <param name="target">The end point, for messages.</param>
/// <param name="fallbacks">Claims refused options for the end point; its creator ends the claims.</param>
internal sealed class SocketTuning(EpollSocketOptions[] options, string target, ClaimedFallbacks fallbacks)
{
    private readonly SocketSettings _settings = new(target, fallbacks.Report);

    public int Backlog => Get(static o => o.Backlog);

    /// <summary>Before listen(2). Sockets accepted from a TCP socket inherit all of this.</summary>
    public void ApplyToListening(StreamSocket socket, AddressFamily family)
    {
        ApplyBuffers(socket);
        if (family == AddressFamily.Unix)
        {
            return;
        }

        ApplyTcp(socket);
        SetSeconds(
            socket,
            StreamCalls.TCP_DEFER_ACCEPT,
            Get(static o => o.DeferAccept),
            FallbackCatalog.TransportDeferAccept, "TCP_DEFER_ACCEPT");
        Set(
            socket,
            StreamCalls.IPPROTO_TCP,
            StreamCalls.TCP_FASTOPEN,
            Get(static o => o.FastOpen),
            FallbackCatalog.TransportFastOpen, "TCP_FASTOPEN");
    }

    /// <summary>An accepted Unix socket starts with the system's buffers, whatever its listening socket has.</summary>
    public void ApplyToAccepted(StreamSocket socket, AddressFamily family)
    {
        if (family == AddressFamily.Unix)
        {
            ApplyBuffers(socket);
        }
    }

    /// <summary>Before connect(2), which announces the buffer's size to the peer.</summary>
    public void ApplyToClient(StreamSocket socket, AddressFamily family)
    {
        ApplyBuffers(socket);
        if (family != AddressFamily.Unix)
        {
            ApplyTcp(socket);
        }
    }

    private void ApplyTcp(StreamSocket socket)
    {
        // Always set: an inherited socket may already have it on.
        var noDelay = Get(static o => o.NoDelay);
        _settings.Set(
            socket,
            StreamCalls.IPPROTO_TCP,
            StreamCalls.TCP_NODELAY,
            noDelay ? 1 : 0,
            FallbackCatalog.TransportNoDelay, $"TCP_NODELAY = {noDelay}");
        Set(
            socket,
            StreamCalls.IPPROTO_TCP,
            StreamCalls.TCP_USER_TIMEOUT,
            RoundUp(Get(static o => o.UserTimeout), TimeSpan.TicksPerMillisecond),
            FallbackCatalog.TransportUserTimeout, "TCP_USER_TIMEOUT");
        Set(
            socket,
            SocketCalls.SOL_SOCKET,
            SocketCalls.SO_BUSY_POLL,
            RoundUp(Get(static o => o.BusyPoll), TimeSpan.TicksPerMicrosecond),
            FallbackCatalog.TransportBusyPoll, "SO_BUSY_POLL");
        if (Get(static o => o.KeepAlive))
        {
            var kind = FallbackCatalog.TransportKeepAlive;
            Set(socket, SocketCalls.SOL_SOCKET, StreamCalls.SO_KEEPALIVE, 1, kind, "SO_KEEPALIVE");
            SetSeconds(socket, StreamCalls.TCP_KEEPIDLE, Get(static o => o.KeepAliveTime), kind, "TCP_KEEPIDLE");
            SetSeconds(socket, StreamCalls.TCP_KEEPINTVL, Get(static o => o.KeepAliveInterval), kind, "TCP_KEEPINTVL");
            Set(
                socket, StreamCalls.IPPROTO_TCP, StreamCalls.TCP_KEEPCNT, Get(static o => o.KeepAliveRetryCount), kind,
                "TCP_KEEPCNT");
        }
    }

    private void ApplyBuffers(StreamSocket socket)
    {
        _settings.SetReceiveBuffer(socket, Get(static o => o.ReceiveBufferSize), FallbackCatalog.TransportReceiveBuffer);
        _settings.SetSendBuffer(socket, Get(static o => o.SendBufferSize), FallbackCatalog.TransportSendBuffer);
    }

    private T Get<T>(Func<EpollSocketOptions, T?> option)
        where T : struct
    {
        foreach (var each in options)
        {
            if (option(each) is { } value)
            {
                return value;
            }
        }

        return option(EpollTransportOptions.Defaults).GetValueOrDefault();
    }

    private void SetSeconds(StreamSocket socket, int name, TimeSpan value, FallbackKind kind, string label) =>
        Set(socket, StreamCalls.IPPROTO_TCP, name, RoundUp(value, TimeSpan.TicksPerSecond), kind, label);

    private void Set(StreamSocket socket, int level, int name, int value, FallbackKind kind, string label) =>
        _settings.SetUnlessZero(socket, level, name, value, kind, label);

    private static int RoundUp(TimeSpan value, long ticks) => (int)((value.Ticks + ticks - 1) / ticks);
}
