using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Sets the options of an end point's sockets. One that the kernel refuses is a fallback, and the socket goes on without it.
/// </summary>
/// <param name="options">The options.</param>
/// <param name="target">The end point, for messages.</param>
/// <param name="fallbacks">Told of what is refused.</param>
internal sealed class SocketTuning(EpollSocketOptions options, string target, NumaFallbacks? fallbacks)
{
    public int Backlog => options.Backlog;

    /// <summary>Before listen(2). The sockets that a TCP socket accepts are copies of it and have all of this, too.</summary>
    public void ApplyToListening(StreamSocket socket, AddressFamily family)
    {
        ApplyBuffers(socket);
        if (family == AddressFamily.Unix)
        {
            return;
        }

        ApplyTcp(socket);
        SetSeconds(socket, Native.TCP_DEFER_ACCEPT, options.DeferAccept, "transport.deferaccept", "TCP_DEFER_ACCEPT");
        Set(socket, Native.IPPROTO_TCP, Native.TCP_FASTOPEN, options.FastOpen, "transport.fastopen", "TCP_FASTOPEN");
    }

    /// <summary>A Unix socket that was accepted begins with the system's buffers, whatever its listening socket has.</summary>
    public void ApplyToAccepted(StreamSocket socket, AddressFamily family)
    {
        if (family == AddressFamily.Unix)
        {
            ApplyBuffers(socket);
        }
    }

    /// <summary>Before connect(2), which tells the other side of the buffer's size.</summary>
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
        // An inherited socket may have it on already.
        Report(
            socket.SetOption(Native.IPPROTO_TCP, Native.TCP_NODELAY, options.NoDelay ? 1 : 0),
            "transport.nodelay",
            $"TCP_NODELAY = {options.NoDelay}");
        Set(
            socket, Native.IPPROTO_TCP, Native.TCP_USER_TIMEOUT, RoundUp(options.UserTimeout, TimeSpan.TicksPerMillisecond),
            "transport.usertimeout", "TCP_USER_TIMEOUT");
        Set(
            socket, Native.SOL_SOCKET, Native.SO_BUSY_POLL, RoundUp(options.BusyPoll, TimeSpan.TicksPerMicrosecond),
            "transport.busypoll", "SO_BUSY_POLL");
        if (options.KeepAlive)
        {
            const string Feature = "transport.keepalive";
            Set(socket, Native.SOL_SOCKET, Native.SO_KEEPALIVE, 1, Feature, "SO_KEEPALIVE");
            SetSeconds(socket, Native.TCP_KEEPIDLE, options.KeepAliveTime, Feature, "TCP_KEEPIDLE");
            SetSeconds(socket, Native.TCP_KEEPINTVL, options.KeepAliveInterval, Feature, "TCP_KEEPINTVL");
            Set(socket, Native.IPPROTO_TCP, Native.TCP_KEEPCNT, options.KeepAliveRetryCount, Feature, "TCP_KEEPCNT");
        }
    }

    private void ApplyBuffers(StreamSocket socket)
    {
        SetBuffer(
            socket, Native.SO_RCVBUF, options.ReceiveBufferSize, "transport.receivebuffer", "SO_RCVBUF", "net.core.rmem_max");
        SetBuffer(socket, Native.SO_SNDBUF, options.SendBufferSize, "transport.sendbuffer", "SO_SNDBUF", "net.core.wmem_max");
    }

    // The kernel takes any size, cuts it without a word and doubles it for its own bookkeeping (socket(7)).
    private void SetBuffer(StreamSocket socket, int name, int size, string feature, string label, string limit)
    {
        Set(socket, Native.SOL_SOCKET, name, size, feature, label);
        if (size > 0 && socket.GetOption(Native.SOL_SOCKET, name, out var doubled).Succeeded && doubled / 2 < size)
        {
            fallbacks?.Report(new NumaFallback(
                feature,
                $"{label} for {target} is {doubled / 2} bytes instead of {size}: raise {limit}."));
        }
    }

    private void SetSeconds(StreamSocket socket, int name, TimeSpan value, string feature, string label) =>
        Set(socket, Native.IPPROTO_TCP, name, RoundUp(value, TimeSpan.TicksPerSecond), feature, label);

    private void Set(StreamSocket socket, int level, int name, int value, string feature, string label)
    {
        if (value != 0)
        {
            Report(socket.SetOption(level, name, value), feature, $"{label} = {value}");
        }
    }

    private void Report(SysResult result, string feature, string option)
    {
        if (!result.Succeeded)
        {
            fallbacks?.Report(new NumaFallback(
                feature, $"{option} for {target} was refused ({result.ErrorName}). Connections are served without it."));
        }
    }

    private static int RoundUp(TimeSpan value, long ticks) => (int)((value.Ticks + ticks - 1) / ticks);
}
