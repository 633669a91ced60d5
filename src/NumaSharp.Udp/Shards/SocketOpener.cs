using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Shards;

/// <summary>Opens the sockets of one port, all alike.</summary>
internal sealed class SocketOpener
{
    private readonly NumaUdpOptions _options;
    private readonly IPEndPoint? _remote;
    private readonly NumaFallbacks? _fallbacks;
    private readonly object _subject;
    private readonly string _target;

    /// <param name="options">The sockets' options.</param>
    /// <param name="local">The address they are bound to, for messages.</param>
    /// <param name="remote">The peer of a connected socket.</param>
    /// <param name="fallbacks">Receives a fallback for each refused option.</param>
    /// <param name="connected">
    /// The common subject of fallbacks of connected sockets: there may be one socket per peer, all refused the same option.
    /// </param>
    public SocketOpener(
        NumaUdpOptions options, IPEndPoint local, IPEndPoint? remote, NumaFallbacks? fallbacks, object connected)
    {
        _options = options;
        _remote = remote;
        _fallbacks = fallbacks;
        (_subject, _target) = remote is null ? (this, $"UDP {local}") : (connected, "connected UDP sockets");
        Fallbacks = new ClaimedFallbacks(fallbacks, _subject);
    }

    /// <summary>Fallbacks of all sockets together. Those of one socket are in <see cref="DatagramSocket.Fallbacks"/>.</summary>
    public ClaimedFallbacks Fallbacks { get; }

    /// <summary>Whether the kernel segments sent messages. Known once a socket is open.</summary>
    public bool CutsSends { get; private set; }

    /// <summary>Whether the kernel joins received datagrams. Known once a socket is open.</summary>
    public bool JoinsReceives { get; private set; }

    /// <summary>Opens one socket.</summary>
    /// <param name="local">The address to bind; for port 0 the kernel chooses one.</param>
    /// <param name="isFirst">Whether the port is not in use yet.</param>
    /// <param name="isGroup">Whether there are, or will be, several.</param>
    /// <param name="bound">The bound address.</param>
    /// <exception cref="SocketException">The port is in use, or any other failure.</exception>
    public DatagramSocket Open(IPEndPoint local, bool isFirst, bool isGroup, out IPEndPoint bound)
    {
        SocketFailure.ThrowIfFailed(
            DatagramSocket.Create(local.AddressFamily, new ClaimedFallbacks(_fallbacks, _subject), out var socket),
            $"socket for {local}");
        try
        {
            PortBinding.SetDualMode(socket!, local);
            Apply(socket!, local);
            bound = isGroup && !isFirst
                ? PortBinding.BindShared(socket!, local)
                : PortBinding.BindFirst(socket!, local, isGroup);
            if (_remote is not null)
            {
                SocketFailure.ThrowIfFailed(socket!.Connect(_remote), $"connect to {_remote}");
                socket!.IsConnected = true;
            }

            return socket!;
        }
        catch
        {
            socket!.Dispose();
            throw;
        }
    }

    public void Report(SysResult result, FallbackKind kind, string option) =>
        SettingsWith(Fallbacks).Report(result, kind, option);

    private SocketSettings SettingsWith(ClaimedFallbacks fallbacks) => new(_target, fallbacks.Report);

    private void Apply(DatagramSocket socket, IPEndPoint local)
    {
        var settings = SettingsWith(socket.Fallbacks);
        settings.SetReceiveBuffer(socket, _options.ReceiveBufferSize, FallbackCatalog.UdpReceiveBuffer);
        settings.SetSendBuffer(socket, _options.SendBufferSize, FallbackCatalog.UdpSendBuffer);
        JoinsReceives = _options.Gro
            && settings.Set(socket, UdpCalls.SOL_UDP, UdpCalls.UDP_GRO, 1, FallbackCatalog.UdpGro, "UDP_GRO");

        // Zero changes nothing, and shows whether the kernel supports the option.
        CutsSends = _options.Gso
            && settings.Set(socket, UdpCalls.SOL_UDP, UdpCalls.UDP_SEGMENT, 0, FallbackCatalog.UdpGso, "UDP_SEGMENT");
        SetBoth(
            socket, UdpCalls.IP_PKTINFO, UdpCalls.IPV6_RECVPKTINFO,
            _options.PacketInfo ?? PortBinding.IsWildcard(local.Address) ? 1 : 0, FallbackCatalog.UdpPacketInfo, "IP_PKTINFO");
        SetBoth(
            socket, UdpCalls.IP_RECVTOS, UdpCalls.IPV6_RECVTCLASS, _options.ReceiveTrafficClass ? 1 : 0,
            FallbackCatalog.UdpTrafficClass, "IP_RECVTOS");
        SetBoth(
            socket, UdpCalls.IP_TOS, UdpCalls.IPV6_TCLASS, _options.TrafficClass, FallbackCatalog.UdpTrafficClass, "IP_TOS");
        SetBoth(
            socket, UdpCalls.IP_TTL, UdpCalls.IPV6_UNICAST_HOPS, _options.TimeToLive, FallbackCatalog.UdpTimeToLive, "IP_TTL");
        settings.SetUnlessZero(
            socket, SocketCalls.SOL_SOCKET, UdpCalls.SO_TIMESTAMPNS, _options.Timestamps ? 1 : 0,
            FallbackCatalog.UdpTimestamps, "SO_TIMESTAMPNS");
        settings.SetUnlessZero(
            socket, SocketCalls.SOL_SOCKET, UdpCalls.SO_BROADCAST, _options.Broadcast ? 1 : 0,
            FallbackCatalog.UdpBroadcast, "SO_BROADCAST");
        settings.SetUnlessZero(
            socket, SocketCalls.SOL_SOCKET, SocketCalls.SO_BUSY_POLL,
            (int)Math.Ceiling(_options.BusyPoll.TotalMicroseconds), FallbackCatalog.UdpBusyPoll, "SO_BUSY_POLL");
        ApplyFragmenting(socket);
        ApplyMulticast(socket);
    }

    private void ApplyFragmenting(DatagramSocket socket)
    {
        if (_options.DontFragment is not { } refuses)
        {
            return;
        }

        var kind = FallbackCatalog.UdpDontFragment;
        var mode = refuses ? UdpCalls.MtuDiscoveryOn : UdpCalls.MtuDiscoveryOff;
        if (socket.Family == AddressFamily.InterNetworkV6)
        {
            Set(socket, SocketCalls.IPPROTO_IPV6, UdpCalls.IPV6_MTU_DISCOVER, mode, kind, "IPV6_MTU_DISCOVER");
        }

        Set(socket, UdpCalls.IPPROTO_IP, UdpCalls.IP_MTU_DISCOVER, mode, kind, "IP_MTU_DISCOVER");
    }

    private void ApplyMulticast(DatagramSocket socket)
    {
        var kind = FallbackCatalog.UdpMulticast;
        var loop = _options.MulticastLoopback ? 1 : 0;
        if (socket.Family == AddressFamily.InterNetworkV6)
        {
            var level = SocketCalls.IPPROTO_IPV6;
            Set(socket, level, UdpCalls.IPV6_MULTICAST_HOPS, _options.MulticastTimeToLive, kind, "IPV6_MULTICAST_HOPS");
            Set(socket, level, UdpCalls.IPV6_MULTICAST_LOOP, loop, kind, "IPV6_MULTICAST_LOOP");

            // Only the groups that this socket has joined, not those of any socket of the machine.
            Set(socket, level, UdpCalls.IPV6_MULTICAST_ALL, 0, kind, "IPV6_MULTICAST_ALL");
        }

        Set(socket, UdpCalls.IPPROTO_IP, UdpCalls.IP_MULTICAST_TTL, _options.MulticastTimeToLive, kind, "IP_MULTICAST_TTL");
        Set(socket, UdpCalls.IPPROTO_IP, UdpCalls.IP_MULTICAST_LOOP, loop, kind, "IP_MULTICAST_LOOP");
        Set(socket, UdpCalls.IPPROTO_IP, UdpCalls.IP_MULTICAST_ALL, 0, kind, "IP_MULTICAST_ALL");
    }

    // An IPv6 socket may have peers of both families. Its IPV6_PKTINFO also has IPv4 addresses, but not the one to answer a
    // broadcast or a group from.
    private void SetBoth(DatagramSocket socket, int v4, int v6, int value, FallbackKind kind, string label)
    {
        if (value == 0)
        {
            return;
        }

        if (socket.Family == AddressFamily.InterNetworkV6)
        {
            Set(socket, SocketCalls.IPPROTO_IPV6, v6, value, kind, label.Replace("IP_", "IPV6_", StringComparison.Ordinal));
        }

        Set(socket, UdpCalls.IPPROTO_IP, v4, value, kind, label);
    }

    private void Set(DatagramSocket socket, int level, int name, int value, FallbackKind kind, string label) =>
        SettingsWith(socket.Fallbacks).Set(socket, level, name, value, kind, $"{label} = {value}");
}
